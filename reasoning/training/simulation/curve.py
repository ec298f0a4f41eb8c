"""Curves with their intervals as one SVG drawing that needs no script and no network."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito's, which colour-blind people can tell apart; the dashes tell them apart as well."""
_DASHES = ("", "7 4", "2 3", "9 3 2 3", "12 4", "1 4")
_WIDTH, _HEIGHT = 720, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 170, 40, 50


@dataclass(frozen=True, slots=True)
class Point:
    """A figure from 0 to 1, with its interval."""

    at: float
    value: float
    low: float
    high: float


def curves_svg(title: str, along: str, curves: Sequence[tuple[str, Sequence[Point]]]) -> str:
    """Draw named curves from 0 to 1 over a shared axis, the places of which lie in even distances."""
    places = sorted({point.at for _, points in curves for point in points})
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, len(places) - 1)
    x = {at: _LEFT + number * step for number, at in enumerate(places)}
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'font-family="Inter, sans-serif" font-size="13"><title>{escape(title)}</title>'
    )
    parts = [
        head,
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/><text x="{_LEFT}" y="22">{escape(title)}</text>',
    ]
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tenth / 10:g}</text>')
    parts += [f'<text x="{x[at]:.1f}" y="{_HEIGHT - _BOTTOM + 20}" text-anchor="middle">{at:g}</text>' for at in places]
    parts.append(f'<text x="{_LEFT}" y="{_HEIGHT - 10}">{escape(along)}</text>')
    for number, (name, points) in enumerate(curves):
        parts += _curve(number, name, sorted(points, key=lambda point: point.at), x)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _curve(number: int, name: str, points: Sequence[Point], x: dict[float, float]) -> list[str]:
    colour, dash = _COLOURS[number % len(_COLOURS)], _DASHES[number % len(_DASHES)]
    line = " ".join(f"{x[point.at]:.1f},{_y(point.value):.1f}" for point in points)
    parts = [f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>']
    for point in points:
        # Side by side, so that intervals at the same place do not overlap.
        at = x[point.at] + 3 * number
        text = f"{name}: {point.value:.3f} ({point.low:.3f} to {point.high:.3f})"
        parts.append(
            f'<path d="M{at:.1f} {_y(point.low):.1f}V{_y(point.high):.1f}" stroke="{colour}"><title>{escape(text)}'
            "</title></path>"
        )
    y = _TOP + 20 * number
    parts.append(
        f'<path d="M{_WIDTH - _RIGHT + 16} {y}h28" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
    )
    parts.append(f'<text x="{_WIDTH - _RIGHT + 50}" y="{y + 4}">{escape(name)}</text>')
    return parts


def _y(value: float) -> float:
    return _HEIGHT - _BOTTOM - value * (_HEIGHT - _TOP - _BOTTOM)

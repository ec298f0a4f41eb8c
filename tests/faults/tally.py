"""What is counted in every scenario, and the table that it makes."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass
class Tally:
    """What one or more rounds of a scenario came to. Events are counted once for each follower."""

    rounds: int = 0
    runs: int = 0
    events: int = 0
    """Events that followers saw."""
    lost: int = 0
    """Events of the log that a follower never saw, or saw otherwise than the log holds them."""
    doubled: int = 0
    """Events that a follower saw twice."""
    reordered: int = 0
    """Events that a follower saw after a later one, and gaps in the log's own numbers."""
    stuck: int = 0
    """Runs that had not ended when waiting was given up."""
    failed: int = 0
    """Runs that ended with a failure that they told."""
    dropped: int = 0
    """Sockets that closed before the last event; their followers reconnected from the last number they had."""
    seconds: float = 0.0
    """From the fault until the site is ready and answers a new question; of several rounds the longest."""

    def add(self, other: Tally) -> None:
        """Take up a further round."""
        for field in fields(self):
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            setattr(self, field.name, max(mine, theirs) if field.name == "seconds" else mine + theirs)

    @property
    def faults(self) -> dict[str, int]:
        """What must never be."""
        return {name: getattr(self, name) for name in ("lost", "doubled", "reordered", "stuck")}


NO_FAULTS = {"lost": 0, "doubled": 0, "reordered": 0, "stuck": 0}


def table(tallies: dict[str, Tally]) -> str:
    """All scenarios as a table in Markdown."""
    names = [field.name for field in fields(Tally)]
    rows = [["scenario", *names], ["---"] * (len(names) + 1)]
    for scenario, tally in tallies.items():
        values = [getattr(tally, name) for name in names]
        rows.append([scenario, *(f"{value:.1f}" if isinstance(value, float) else f"{value:,}" for value in values)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)

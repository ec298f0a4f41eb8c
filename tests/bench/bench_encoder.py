"""Other ways to compute the sentence encoder: ``python -m tests.bench.bench_encoder [--json]``.

The encoder as it is (float32), torch's dynamic int8, and ONNX Runtime in float32 and dynamic int8, each with one
thread, read the same texts and answer the same questions of the bundled sample; no text is kept at first. *A text* is
one short prompt, as each decision needs one; *of 64* is a text of 64 of one length, as pools are read. *Same choices*
is the share of questions for which every decision is that of float32. Times are the processor's, so that other work on
the machine counts little. ONNX Runtime is no dependency: ``onnxruntime`` and ``onnx`` are measured where they can be
imported.
"""

from __future__ import annotations

import argparse
import copy
import json
import tempfile
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn

from kgstore.loading.sample import sample_graph
from kgstore.sqlite.library import SqliteLibrary
from reasoning.engine.engine import answer
from reasoning.narration.replay import decisions_made
from reasoning.run.run import DECISIONS_ALONE
from reasoning.scorers.cards import BUNDLED_WEIGHTS
from reasoning.scorers.encoder.architecture import Biases, ModelShape
from reasoning.scorers.encoder.choice_model import ChoiceModel
from reasoning.scorers.encoder.minilm import AdaptedLinear, EncoderFiles, MiniLm, Words
from reasoning.scorers.encoder.scorer import EncoderScorer, read_weights
from reasoning.scorers.threads import compute_with
from tests.sample import sample_questions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kgstore.store import GraphStore

QUESTIONS = 40
REPEATS = 15
PROMPT = "who directed the films that it starred in before that year? | found: film (actor)"
OPTION = "film whose directed by is it"


class OnnxEncoder(nn.Module):
    """The encoder in ONNX Runtime: it takes what `MiniLm.embed` and `MiniLm.run` take, texts of one length."""

    def __init__(self, encoder: MiniLm, path: Path) -> None:
        super().__init__()
        runtime = import_module("onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.width = encoder.width
        self._session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def embed(self, ids: Tensor) -> Tensor:
        """Nothing yet: the session reads ids."""
        return ids

    def run(self, ids: Tensor, lengths: Tensor | None, layers: slice) -> Tensor:
        """All layers."""
        del lengths, layers
        return torch.from_numpy(self._session.run(None, {"ids": ids.numpy()})[0])


class _Whole(nn.Module):
    def __init__(self, encoder: MiniLm) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, ids: Tensor) -> Tensor:
        return self.encoder.run(self.encoder.embed(ids), None, slice(None))


def exported(encoder: MiniLm, path: Path) -> Path:
    """The encoder as a file of ONNX, for texts of any number and length."""
    example = torch.ones(2, 7, dtype=torch.long)
    axes = {"ids": {0: "texts", 1: "length"}, "hidden": {0: "texts", 1: "length"}}
    torch.onnx.export(
        _Whole(encoder).eval(),
        (example,),
        str(path),
        input_names=["ids"],
        output_names=["hidden"],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )
    return path


def dynamic_int8(encoder: MiniLm) -> Any:
    """Torch's dynamic quantisation of every linear map."""
    plain = copy.deepcopy(encoder)
    for module in plain.modules():
        for name, part in list(module.named_children()):
            if isinstance(part, AdaptedLinear):
                linear = nn.Linear(part.in_features, part.out_features)
                linear.load_state_dict({"weight": part.weight, "bias": part.bias})
                setattr(module, name, linear)
    return torch.ao.quantization.quantize_dynamic(plain, {nn.Linear}, dtype=torch.qint8)  # type: ignore[no-untyped-call]


def onnx_int8(encoder: MiniLm, folder: Path, name: str) -> OnnxEncoder:
    """ONNX Runtime's dynamic quantisation."""
    quantization = import_module("onnxruntime.quantization")
    small = folder / f"{name}-int8.onnx"
    whole = exported(encoder, folder / f"{name}.onnx")
    quantization.quantize_dynamic(whole, small, weight_type=quantization.QuantType.QInt8)
    return OnnxEncoder(encoder, small)


def ways(folder: Path) -> dict[str, Callable[[MiniLm, str], Any]]:
    """What makes of the encoder one that computes otherwise, given it and a name for its files."""
    found: dict[str, Callable[[MiniLm, str], Any]] = {
        "torch float32": lambda encoder, _: encoder,
        "torch int8": lambda encoder, _: dynamic_int8(encoder),
    }
    if find_spec("onnxruntime") and find_spec("onnx"):
        found["ONNX Runtime float32"] = lambda encoder, name: OnnxEncoder(
            encoder, exported(encoder, folder / f"{name}.onnx")
        )
        found["ONNX Runtime int8"] = lambda encoder, name: onnx_int8(encoder, folder, name)
    return found


def scorer_with(way: Callable[[MiniLm, str], Any]) -> tuple[EncoderScorer, Any]:
    """The bundled scorer with both of its encoders computed in a way, and the one that reads prompts."""
    card, state = read_weights(BUNDLED_WEIGHTS)
    files = EncoderFiles.locate()
    model = ChoiceModel(MiniLm.load(files), ModelShape.from_json(card["shape"]))
    model.load_trained(state)
    model.prompts.merge()
    model.prompts.encoder = prompts = way(model.prompts.encoder, "prompts")
    options = way(MiniLm.load(files), "options")
    return EncoderScorer(model, options, Words(files), name="bench", biases=Biases.of_card(card)), prompts


def milliseconds(encoder: Any, words: Words, text: str, count: int) -> float:
    """The time of reading one of ``count`` texts at once: the median of repeats."""
    ids = torch.tensor(words.ids([text]) * count)
    took = []
    with torch.inference_mode():
        for _ in range(REPEATS):
            started = time.process_time()
            encoder.run(encoder.embed(ids), None, slice(None))
            took.append(time.process_time() - started)
    return 1000 * median(took) / count


def decided(scorer: EncoderScorer, store: GraphStore, questions: Sequence[str]) -> tuple[float, list[Any]]:
    """Processor seconds a question, and for each question its decisions."""
    started = time.process_time()
    made = [
        [
            (one.stage, one.number, one.choice)
            for one in decisions_made(list(answer(question, store, scorer, limits=DECISIONS_ALONE)))
        ]
        for question in questions
    ]
    return (time.process_time() - started) / len(questions), made


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    as_json = parser.parse_args().json
    compute_with(1)
    words = Words(EncoderFiles.locate())
    questions = [question.phrasings[0] for question in sample_questions()][: QUESTIONS * 5 : 5]
    figures: dict[str, dict[str, float]] = {}
    usual: list[Any] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        library = SqliteLibrary(folder)
        library.load(sample_graph())
        store = library.open("sample")
        for name, way in ways(folder).items():
            scorer, prompts = scorer_with(way)
            seconds, made = decided(scorer, store, questions)
            usual = usual or made
            figures[name] = {
                "a text": milliseconds(prompts, words, PROMPT, 1),
                "of 64": milliseconds(prompts, words, OPTION, 64),
                "a question": 1000 * seconds,
                "same choices": sum(map(list.__eq__, made, usual)) / len(usual),
            }
        library.close()
    if as_json:
        Console().print_json(json.dumps(figures))
        return
    table = Table("computed by", "ms a text", "ms a text of 64", "ms a question", "same choices")
    for name, found in figures.items():
        times = [f"{found[key]:.1f}" for key in ("a text", "of 64", "a question")]
        table.add_row(name, *times, f"{found['same choices']:.3f}")
    Console().print(table)


if __name__ == "__main__":
    main()

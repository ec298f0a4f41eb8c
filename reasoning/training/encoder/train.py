"""Training of the encoder scorer on the decisions of derivations.

A pure function of its samples and settings: it reports through a callback and writes nothing but its checkpoint.
"""

from __future__ import annotations

import hashlib
import math
import random
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from reasoning.core.errors import ReasoningError
from reasoning.core.options import Stage
from reasoning.scorers.encoder.architecture import ModelShape
from reasoning.scorers.encoder.choice_model import Asked, ChoiceModel
from reasoning.scorers.encoder.features import OPTION_FEATURES, Inputs, inputs_of, without_types
from reasoning.scorers.encoder.minilm import EncoderFiles, MiniLm, Words, mean_vectors, padded, quick_kind
from reasoning.scorers.threads import compute_with, training_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from reasoning.training.lessons.samples import TrainingSample
    from reasoning.training.recipe.settings import TrainingSettings

_STAGES = tuple(Stage)
_WORDINGS = 5
"""One phrasing out of this number is taught without the types of its entities, as not every graph has them, and two
without its other names, because what is learned must not hang on them."""
_UNTYPED = 0
_UNNAMED = (1, 2)
_DRAWN: dict[Stage, float] = {Stage.LINK: 3.0, Stage.SEARCH: 1.0, Stage.PRUNE: 0.6, Stage.INFER: 0.3}
_DRAWN_WRONG_TOPIC = 0.4
"""How often samples are drawn: what is hard more often than what is easy or need not be learned so well."""
_READ_TOGETHER = 64
_DEV_SAMPLES = 300
"""Maximum of decisions of a source that test what was learned."""
_SORTED_BATCHES = 10
"""Samples are sorted by length within this number of batches."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where training stands."""

    stage: str
    """``reading`` questions, ``training``, ``testing`` itself or ``validating``."""
    epoch: int
    epochs: int
    done: int
    total: int
    """Batches of the epoch, or questions."""
    loss: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class EpochReport:
    """What an epoch reached."""

    epoch: int
    loss: float
    dev_accuracy: dict[str, float]
    """The share of right decisions: by stage, by source where there are several, and ``all``, where sources count
    equally."""
    seconds: float


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """A trained model and how it came about."""

    state: dict[str, Tensor]
    """What `ChoiceModel.load_trained` takes."""
    shape: ModelShape
    settings: TrainingSettings
    epochs: tuple[EpochReport, ...]
    best_epoch: int
    samples: int
    dev_samples: int
    seconds: float


@dataclass(slots=True)
class _Row:
    """A sample as numbers."""

    stage: int
    prompts: NDArray[np.int32]
    """For each option the index of its prompt text."""
    question: int
    """The index of the question among the texts that are read as options are."""
    path: int
    """The index of the text of the way to the newest node; -1 at the root."""
    options: NDArray[np.int32]
    """For each option the index of its text; -1 where it has no words."""
    words: NDArray[np.int32]
    """The indices of the question's words."""
    distances: NDArray[np.float32]
    """How far each of them is from the topic."""
    hops: NDArray[np.int32]
    """For each option the index of its relation's name; -1 where it has none."""
    kinds: NDArray[np.int32]
    """Likewise of what a backward relation leads to."""
    path_parts: NDArray[np.int32]
    """The indices of names and kinds of the steps that are taken."""
    context: NDArray[np.float32]
    features: NDArray[np.float32]
    right: NDArray[np.bool_]
    first: int
    is_first_step: bool
    source: str
    weight: float
    """How often it is drawn, compared with others of its source."""
    untyped: _Row | None = None
    """The same in a graph without types of relations."""


@dataclass(frozen=True, slots=True)
class _Stranger:
    """An option of a first step that may join another's pool: the indices of its texts, and its features."""

    option: int
    hop: int
    kind: int
    features: NDArray[np.float32]


def train(
    samples: Iterable[TrainingSample],
    settings: TrainingSettings,
    *,
    shape: ModelShape | None = None,
    shares: Mapping[str, float] | None = None,
    encoder: str | None = None,
    start: Mapping[str, Tensor] | None = None,
    checkpoint: Path | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> TrainingResult:
    """Train a choice model, from nothing or from the trained weights ``start``.

    ``shares`` say how much each source of the samples counts; equally if not given. It ends early where
    ``settings.patience`` epochs brought nothing better. ``stop`` is asked before every batch.

    With ``checkpoint``, a training that was broken off goes on after its last whole epoch, if samples and settings are
    still the same. The file is left for the caller to remove, once the result is safe.

    Raises:
        ScorerUnavailableError: the sentence encoder is not there.
        TrainingStoppedError: ``stop`` said so.
        ValueError: there are no samples to learn from, or the weights to start from are of another shape.

    """
    started = perf_counter()
    compute_with(training_threads(settings.threads))
    files = EncoderFiles.locate(encoder)
    watch = _Watched(progress, stop)
    corpus = _Corpus(samples, files, shape or ModelShape(), settings, shares or {})
    if start is not None:
        corpus.model.load_trained(start)
    trainer = _Trainer(corpus, settings, watch, started)
    if checkpoint is not None and checkpoint.exists():
        trainer.resume(torch.load(checkpoint, weights_only=True))
    while trainer.epoch < settings.epochs and not trainer.is_done:
        compute_with(training_threads(settings.threads))
        trainer.run_epoch()
        if checkpoint is not None:
            save_checkpoint(trainer.state(), checkpoint)
    return trainer.result(perf_counter() - started)


def save_checkpoint(state: dict[str, Any], checkpoint: Path) -> None:
    """Write a checkpoint; the one before stays until it is whole, and nothing of it where it cannot be."""
    partial = checkpoint.with_suffix(".partial")
    try:
        # A file of ours, for torch gives no reason where it cannot write one of its own.
        with partial.open("wb") as file:
            torch.save(state, file)
        partial.replace(checkpoint)
    finally:
        partial.unlink(missing_ok=True)


class TrainingStoppedError(ReasoningError):
    """The training was stopped on request; it goes on from its checkpoint when it is started again."""

    code = "training_stopped"


def reading_progress(progress: Callable[[Progress], None], stop: Callable[[], bool]) -> Callable[[str, int, int], None]:
    """Takes up of a source how many of its questions were read, and of how many; it stops where ``stop`` says so."""

    def reading(source: str, done: int, total: int) -> None:
        progress(Progress(f"reading {source}", 0, 0, done, total, None, 0.0))
        if stop():
            raise TrainingStoppedError("The training was stopped while it read its data. Start it again.")

    return reading


@dataclass(frozen=True, slots=True)
class _Watched:
    progress: Callable[[Progress], None]
    stop: Callable[[], bool]

    def __call__(self, progress: Progress) -> None:
        self.progress(progress)
        if self.stop():
            raise TrainingStoppedError("The training was stopped. Start it again to go on from its last whole epoch.")


def is_dev(question_id: str, share: float) -> bool:
    """Whether a training question belongs to the slice that training tests itself on; a fixed rule."""
    return hashlib.sha256(f"dev {question_id}".encode()).digest()[0] < 256 * share


class _Corpus:
    """All samples as numbers; every text is read once by what is not trained."""

    def __init__(
        self,
        samples: Iterable[TrainingSample],
        files: EncoderFiles,
        shape: ModelShape,
        settings: TrainingSettings,
        shares: Mapping[str, float],
    ) -> None:
        self._texts: dict[str, int] = {}
        self._words: dict[str, int] = {}
        digest = hashlib.sha256(repr((asdict(settings), asdict(shape), dict(shares))).encode())
        self.train: list[_Row] = []
        self.dev: list[_Row] = []
        for sample in samples:
            inputs = _inputs(sample)
            digest.update(repr((inputs.prompt_texts, inputs.option_texts, sample.right)).encode())
            if len(sample.pool) > 1:
                into = self.dev if is_dev(sample.group or sample.question_id, settings.dev_share) else self.train
                row = self._row(sample, inputs)
                untyped = None
                if settings.untyped:
                    untyped = self._row(sample, without_types(inputs, sample.state, sample.pool))
                into.append(replace(row, untyped=untyped))
        if not self.train:
            raise ValueError("there is nothing to learn from: no sample offers a choice")
        _share_out(self.train, shares)
        self.dev = _some_of_each(self.dev)
        self.fingerprint = digest.hexdigest()
        self.shape = shape
        self.files = files
        torch.manual_seed(settings.seed)
        self.model = ChoiceModel(MiniLm.load(files), shape)
        words = Words(files)
        self.kind = quick_kind()
        self._encoder = MiniLm.load(files).to(self.kind)
        # Texts are read when they are first drawn, and their vectors are kept: many never are.
        self._prompts, self._worded = words.ids(list(self._texts)), words.ids(list(self._words))
        self._hidden: dict[int, Tensor] = {}
        self._vectors: dict[int, Tensor] = {}
        first = [row for row in self.train if row.is_first_step]
        known = {
            int(row.options[i]): _Stranger(int(row.options[i]), int(row.hops[i]), int(row.kinds[i]), row.features[i])
            for row in first
            for i in np.flatnonzero(row.options >= 0)
        }
        self.strangers = [known[option] for option in sorted(known)]

    def _row(self, sample: TrainingSample, inputs: Inputs) -> _Row:
        texts = [self._texts.setdefault(text, len(self._texts)) for text in inputs.prompt_texts]
        right = np.zeros(len(sample.pool), dtype=np.bool_)
        right[list(sample.right)] = True
        return _Row(
            _STAGES.index(inputs.stage),
            np.array(texts if inputs.stage is Stage.LINK else texts * len(sample.pool), dtype=np.int32),
            self._words.setdefault(inputs.question_text, len(self._words)),
            self._word(inputs.path_text),
            self._each(inputs.option_texts),
            self._each(inputs.words),
            np.array(inputs.distances, np.float32),
            self._each(inputs.hops),
            self._each(inputs.kinds),
            self._each(inputs.path_parts),
            inputs.context,
            inputs.features,
            right,
            sample.right[0],
            inputs.stage is Stage.SEARCH and sample.state.structure.step == 0,
            sample.source,
            _DRAWN_WRONG_TOPIC if sample.about_wrong_topic else _DRAWN[inputs.stage],
        )

    def _word(self, text: str) -> int:
        return self._words.setdefault(text, len(self._words)) if text else -1

    def _each(self, texts: Iterable[str]) -> NDArray[np.int32]:
        return np.array([self._word(text) for text in texts], np.int32)

    def length(self, row: _Row) -> int:
        """The tokens of its longest prompt text."""
        return max(len(self._prompts[text]) for text in row.prompts)

    def hidden(self, texts: Sequence[int]) -> list[Tensor]:
        """For each prompt text the vectors (length, width) between the layers that stay and those that learn."""
        missing = [text for text in texts if text not in self._hidden]
        for batch in _by_length([self._prompts[text] for text in missing], _READ_TOGETHER):
            ids, lengths = padded([self._prompts[missing[i]] for i in batch])
            with torch.no_grad():
                hidden = self._encoder.run(self._encoder.embed(ids), lengths, slice(self.shape.first_adapted_layer))
            for place, i in enumerate(batch):
                # In half precision, as there may be a hundred thousand of them.
                self._hidden[missing[i]] = hidden[place, : int(lengths[place])].to(torch.bfloat16, copy=True)
        return [self._hidden[text] for text in texts]

    def vectors(self, texts: Sequence[int]) -> Tensor:
        """The vectors (n, width) of texts that are read as published."""
        missing = [text for text in texts if text not in self._vectors]
        for batch in _by_length([self._worded[text] for text in missing], _READ_TOGETHER):
            ids, lengths = padded([self._worded[missing[i]] for i in batch])
            with torch.no_grad():
                vectors = mean_vectors(self._encoder.run(self._encoder.embed(ids), lengths, slice(None)), lengths)
            self._vectors |= dict(zip((missing[i] for i in batch), vectors, strict=True))
        if not len(texts):
            return torch.zeros(0, self._encoder.width)
        return torch.stack([self._vectors[text] for text in texts])


@dataclass(slots=True)
class _Batch:
    used: NDArray[np.int32]
    """The prompt texts that the batch needs."""
    words: NDArray[np.int32]
    """The option texts that it needs."""
    questions: NDArray[np.int32]
    """For each decision its question."""
    path_of: Tensor
    question_words: NDArray[np.int32]
    """The words that the questions need."""
    words_of: Tensor
    distances: Tensor
    hop_of: Tensor
    kind_of: Tensor
    path_parts_of: Tensor
    prompt_of: Tensor
    option_of: Tensor
    stages: Tensor
    context: Tensor
    features: Tensor
    present: Tensor
    right: Tensor
    first: Tensor
    sources: list[str]


class _Trainer:
    def __init__(
        self, corpus: _Corpus, settings: TrainingSettings, progress: Callable[[Progress], None], started: float
    ) -> None:
        self._corpus = corpus
        self._settings = settings
        self._progress = progress
        self._started = started
        self._model = corpus.model
        low_rank = [p for p in self._model.prompts.parameters() if p.requires_grad]
        head = [p for p in self._model.head.parameters() if p.requires_grad]
        self._optimizer = torch.optim.AdamW(
            [{"params": low_rank, "lr": settings.learning_rate}, {"params": head, "lr": settings.head_learning_rate}],
            weight_decay=settings.weight_decay,
        )
        self._batches = math.ceil(min(len(corpus.train), settings.epoch_samples) / settings.batch)
        peak = [group["lr"] for group in self._optimizer.param_groups]
        steps = max(2, self._batches * settings.epochs) + 1
        # The schedule divides by the length of the first part, which must not be zero.
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(
            self._optimizer, peak, total_steps=steps, pct_start=max(0.1, 1.5 / steps)
        )
        self.epoch = 0
        self._reports: list[EpochReport] = []
        self._best: tuple[float, int, dict[str, Tensor]] = (-1.0, 0, {})

    def run_epoch(self) -> None:
        settings, corpus = self._settings, self._corpus
        chance = random.Random(f"{settings.seed} {self.epoch}")  # noqa: S311 - no secret
        torch.manual_seed(settings.seed * 1000 + self.epoch)
        began = perf_counter()
        total = 0.0
        self._model.train()
        for number, drawn in enumerate(self._drawn(chance)):
            loss = self._loss(self._batch([self._varied(row, chance) for row in drawn]))
            self._optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_([p for p in self._model.parameters() if p.requires_grad], 1.0)
            self._optimizer.step()
            self._schedule.step()
            total += loss.item()
            self._report("training", number + 1, self._batches, total / (number + 1))
        self.epoch += 1
        # Where there are few labels, all of them teach: a slice of a handful would choose by chance.
        held = corpus.dev or _some_of_each(corpus.train)
        scored = self._scored(held)
        self._calibrate(scored)
        accuracy = self._accuracy(scored)
        self._reports.append(EpochReport(self.epoch, total / self._batches, accuracy, perf_counter() - began))
        if accuracy["all"] > self._best[0]:
            state = {name: value.detach().clone() for name, value in self._model.trained_state().items()}
            self._best = (accuracy["all"], self.epoch, state)

    @property
    def is_done(self) -> bool:
        """Whether the last epochs brought nothing better."""
        return self.epoch - self._best[1] >= self._settings.patience

    def _drawn(self, chance: random.Random) -> list[list[_Row]]:
        """The batches of an epoch: texts of like length together, because the longest sets the cost of all."""
        size = self._settings.batch
        # Without putting back, by weight (Efraimidis and Spirakis 2006).
        keys = {id(row): math.log(1 - chance.random()) / row.weight for row in self._corpus.train}
        rows = sorted(self._corpus.train, key=lambda row: keys[id(row)], reverse=True)[: self._settings.epoch_samples]
        chance.shuffle(rows)
        batches: list[list[_Row]] = []
        for start in range(0, len(rows), size * _SORTED_BATCHES):
            near = sorted(rows[start : start + size * _SORTED_BATCHES], key=self._corpus.length)
            batches.extend(near[i : i + size] for i in range(0, len(near), size))
        chance.shuffle(batches)
        return batches

    def state(self) -> dict[str, Any]:
        """All that a later process needs to go on."""
        return {
            "fingerprint": self._corpus.fingerprint,
            "epoch": self.epoch,
            "model": self._model.trained_state(),
            "optimizer": self._optimizer.state_dict(),
            "schedule": self._schedule.state_dict(),
            "reports": [asdict(report) for report in self._reports],
            "best": list(self._best),
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from a state, unless it belongs to other samples or settings."""
        if state["fingerprint"] != self._corpus.fingerprint:
            return
        self.epoch = state["epoch"]
        self._model.load_trained(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._schedule.load_state_dict(state["schedule"])
        self._reports = [EpochReport(**report) for report in state["reports"]]
        accuracy, epoch, best = state["best"]
        self._best = (accuracy, epoch, best)

    def result(self, seconds: float) -> TrainingResult:
        _, best_epoch, state = self._best
        return TrainingResult(
            state,
            self._corpus.shape,
            self._settings,
            tuple(self._reports),
            best_epoch,
            len(self._corpus.train),
            len(self._corpus.dev),
            seconds,
        )

    def _report(self, stage: str, done: int, total: int, loss: float | None) -> None:
        seconds = perf_counter() - self._started
        self._progress(Progress(stage, self.epoch + 1, self._settings.epochs, done, total, loss, seconds))

    def _varied(self, row: _Row, chance: random.Random) -> _Row:
        """The sample with chance changes that keep it true."""
        settings = self._settings
        if row.untyped is not None and chance.random() < settings.untyped:
            row = row.untyped
        features = row.features
        if settings.feature_dropout:
            kept = np.array([chance.random() >= settings.feature_dropout for _ in OPTION_FEATURES], dtype=np.float32)
            features = features * kept
        row = replace(row, features=features)
        if row.is_first_step and row.options[row.first] >= 0 and chance.random() < settings.drop_right:
            row = _without_right(row)
        if row.is_first_step and chance.random() < settings.strangers:
            row = self._with_strangers(row, chance.randint(1, settings.most_strangers), chance)
        return row

    def _with_strangers(self, row: _Row, number: int, chance: random.Random) -> _Row:
        own = set(row.options.tolist())
        strangers = self._corpus.strangers
        chosen = [s for s in chance.sample(strangers, min(number, len(strangers))) if s.option not in own]
        if not chosen:
            return row
        extra = len(chosen)
        features = np.stack([each.features for each in chosen])
        return replace(
            row,
            prompts=np.concatenate([row.prompts, np.repeat(row.prompts[:1], extra)]),
            options=np.concatenate([row.options, [each.option for each in chosen]], dtype=np.int32),
            hops=np.concatenate([row.hops, [each.hop for each in chosen]], dtype=np.int32),
            kinds=np.concatenate([row.kinds, [each.kind for each in chosen]], dtype=np.int32),
            features=np.concatenate([row.features, features]),
            right=np.concatenate([row.right, np.zeros(extra, np.bool_)]),
        )

    def _batch(self, rows: Sequence[_Row]) -> _Batch:
        size, longest = len(rows), max(len(row.right) for row in rows)
        used = np.unique(np.concatenate([row.prompts for row in rows]))
        paths = np.array([row.path for row in rows], np.int32)
        texts = [part for row in rows for part in (row.options, row.hops, row.kinds, row.path_parts)]
        words: NDArray[np.int32] = np.unique(np.concatenate([paths, *texts]))
        words = words[words >= 0]
        single = np.unique(np.concatenate([row.words for row in rows]))
        prompts = np.zeros((size, longest), np.int64)
        features = np.zeros((size, longest, len(OPTION_FEATURES)), np.float32)
        present = np.zeros((size, longest), np.bool_)
        right = np.zeros((size, longest), np.bool_)
        for place, row in enumerate(rows):
            n = len(row.right)
            prompts[place, :n] = np.searchsorted(used, row.prompts)
            features[place, :n] = row.features
            present[place, :n] = True
            right[place, :n] = row.right
        return _Batch(
            used,
            words,
            np.array([row.question for row in rows], np.int32),
            _places(words, [paths]).squeeze(0),
            single,
            words_of := _places(single, [row.words for row in rows]),
            _padded_to(words_of.shape[1], [row.distances for row in rows]),
            _places(words, [row.hops for row in rows]),
            _places(words, [row.kinds for row in rows]),
            _places(words, [row.path_parts for row in rows]),
            torch.from_numpy(prompts),
            _places(words, [row.options for row in rows]),
            torch.tensor([row.stage for row in rows]),
            torch.from_numpy(np.stack([row.context for row in rows])),
            torch.from_numpy(features),
            torch.from_numpy(present),
            torch.from_numpy(right),
            torch.tensor([row.first for row in rows]),
            [row.source for row in rows],
        )

    def _logits(self, batch: _Batch) -> Tensor:
        hidden = self._corpus.hidden(batch.used.tolist())
        lengths = torch.tensor([len(h) for h in hidden])
        padded = nn.utils.rnn.pad_sequence(hidden, batch_first=True)
        kind = self._corpus.kind
        with torch.autocast("cpu", torch.bfloat16, enabled=kind == torch.bfloat16):
            prompts = self._model.prompts.upper(padded.to(kind), lengths)
        options = self._corpus.vectors(batch.words.tolist())
        if self._model.training and self._settings.strangeness:
            # Relations of another graph lie further from the questions than those that are taught.
            noise = functional.normalize(torch.randn_like(options), dim=-1)
            options = functional.normalize(
                options + noise * torch.rand(len(options), 1) * self._settings.strangeness, dim=-1
            )
        asked = Asked(
            prompts,
            self._corpus.vectors(batch.questions.tolist()),
            options,
            batch.prompt_of,
            torch.arange(len(batch.questions)),
            batch.path_of,
            batch.option_of,
            self._corpus.vectors(batch.question_words.tolist()),
            batch.words_of,
            batch.distances,
            batch.hop_of,
            batch.kind_of,
            batch.path_parts_of,
            batch.stages,
            batch.context,
            batch.features,
            batch.present,
        )
        logits: Tensor = self._model.head(asked)
        return logits

    def _loss(self, batch: _Batch) -> Tensor:
        """How improbable the right options are together, and a little how improbable the derivation's own next one."""
        logs = functional.log_softmax(self._logits(batch), -1)
        right = torch.logsumexp(logs.masked_fill(~batch.right, -torch.inf), -1)
        first = logs.gather(1, batch.first[:, None]).squeeze(1)
        share = self._settings.first_choice
        return -((1 - share) * right + share * first).mean()

    @torch.no_grad()
    def _scored(self, rows: Sequence[_Row]) -> list[tuple[Tensor, _Batch]]:
        """The logits of rows, at temperature 1."""
        self._model.eval()
        self._model.head.temperature.data.fill_(1.0)
        size = 128
        ordered = sorted(rows, key=self._corpus.length)
        batches = [self._batch(ordered[i : i + size]) for i in range(0, len(ordered), size)]
        scored = []
        for number, batch in enumerate(batches):
            scored.append((self._logits(batch), batch))
            self._report("testing", number + 1, len(batches), None)
        return scored

    @staticmethod
    def _accuracy(scored: Sequence[tuple[Tensor, _Batch]]) -> dict[str, float]:
        """The share of decisions whose best option is right: by stage, by source, and the mean of all of them.

        Sources count equally in ``all``, so that none is forgotten for a larger one.
        """
        by_stage: dict[str, list[bool]] = {}
        by_source: dict[str, list[bool]] = {}
        for logits, batch in scored:
            found = batch.right.gather(1, logits.argmax(-1, keepdim=True)).squeeze(1).tolist()
            for hit, stage, source in zip(found, batch.stages.tolist(), batch.sources, strict=True):
                by_stage.setdefault(_STAGES[stage].value, []).append(hit)
                by_source.setdefault(source, []).append(hit)
        shares = {name: sum(found) / len(found) for name, found in sorted(by_source.items())}
        return {
            "all": sum(shares.values()) / len(shares),
            **{stage.value: sum(f) / len(f) for stage in _STAGES if (f := by_stage.get(stage.value))},
            **({} if len(shares) == 1 else shares),
        }

    def _calibrate(self, scored: Sequence[tuple[Tensor, _Batch]]) -> None:
        """Set each stage's temperature to the one under which what was right is most probable (Guo et al. 2017)."""
        for stage in range(len(_STAGES)):
            best = (math.inf, 1.0)
            for step in range(-12, 13):
                temperature = 2 ** (step / 6)
                losses = [self._surprise(logits, batch, stage, temperature) for logits, batch in scored]
                count = sum(n for _, n in losses)
                if count:
                    best = min(best, (sum(loss for loss, _ in losses) / count, temperature))
            self._model.head.temperature.data[stage] = best[1]

    @staticmethod
    def _surprise(logits: Tensor, batch: _Batch, stage: int, temperature: float) -> tuple[float, int]:
        chosen = batch.stages == stage
        logs = functional.log_softmax(logits[chosen] / temperature, -1)
        right = torch.logsumexp(logs.masked_fill(~batch.right[chosen], -torch.inf), -1)
        return -right.sum().item(), int(chosen.sum())


def _places(sorted_: NDArray[np.int32], rows: Sequence[NDArray[np.int32]]) -> Tensor:
    """Where each row's numbers are among the sorted ones, as (rows, longest); -1 where a row has none."""
    places = np.full((len(rows), max(1, *(len(row) for row in rows))), -1, np.int64)
    for place, row in enumerate(rows):
        places[place, : len(row)] = np.where(row >= 0, np.searchsorted(sorted_, row), -1)
    return torch.from_numpy(places)


def _padded_to(length: int, rows: Sequence[NDArray[np.float32]]) -> Tensor:
    """Rows of numbers as (rows, length), with zeros beyond each one's last."""
    padded = np.zeros((len(rows), length), np.float32)
    for place, row in enumerate(rows):
        padded[place, : len(row)] = row
    return torch.from_numpy(padded)


def _inputs(sample: TrainingSample) -> Inputs:
    """What is read of a sample: for a fixed share of the phrasings less of what the question names."""
    wording = hashlib.sha256(sample.phrasing.encode()).digest()[0] % _WORDINGS
    state = replace(sample.state, types={}) if wording == _UNTYPED else sample.state
    return inputs_of(state, sample.pool, named=wording not in _UNNAMED)


def _some_of_each(rows: Sequence[_Row]) -> list[_Row]:
    """Of each source as many as are needed, evenly spread."""
    by_source: dict[str, list[_Row]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    return [row for found in by_source.values() for row in found[:: math.ceil(len(found) / _DEV_SAMPLES)]]


def _share_out(rows: Sequence[_Row], shares: Mapping[str, float]) -> None:
    """Let the weights of each source's samples add up to the source's share."""
    totals: dict[str, float] = {}
    for row in rows:
        totals[row.source] = totals.get(row.source, 0.0) + row.weight
    most = max(shares.get(row.source, 1.0) * row.weight / totals[row.source] for row in rows)
    for row in rows:
        row.weight *= shares.get(row.source, 1.0) / totals[row.source] / most


def _without_right(row: _Row) -> _Row:
    """None is right where what was right is gone."""
    keep = ~row.right
    none = int(np.flatnonzero(row.options[keep] < 0)[0])
    right = np.zeros(int(keep.sum()), np.bool_)
    right[none] = True
    return replace(
        row,
        prompts=row.prompts[keep],
        options=row.options[keep],
        hops=row.hops[keep],
        kinds=row.kinds[keep],
        features=row.features[keep],
        right=right,
        first=none,
    )


def _by_length(texts: Sequence[Sequence[int]], size: int) -> Iterable[list[int]]:
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    return [order[start : start + size] for start in range(0, len(order), size)]

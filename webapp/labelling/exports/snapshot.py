"""The accepted labels of a project as a dataset, to be evaluated on and trained on, each side of its split for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoning.datasets.discern import FORMAT
from reasoning.exports import discern
from reasoning.exports.source import ExportTally, exported
from webapp.accounts.audit import audited
from webapp.accounts.models import Audited
from webapp.datasets.snapshots import dataset_of_lines
from webapp.labelling.exports.labels import labels_of
from webapp.labelling.exports.people import by_pseudonym
from webapp.labelling.exports.selections import ACCEPTED, LabelWants
from webapp.labelling.projects.roles import Right, project_may_ensure
from webapp.platform.http.errors import ProductError, room_ensure

if TYPE_CHECKING:
    from webapp.accounts.viewer import Viewer
    from webapp.datasets.models import Dataset
    from webapp.labelling.projects.models import Project

_MAX_NAME_LENGTH = 100


def accepted_snapshot(project: Project, *, viewer: Viewer) -> Dataset:
    """The dataset of a project's accepted labels; where a version holds exactly these, that one.

    Raises:
        ProductError: the viewer may not, no label is accepted, or a version is being made just now.

    """
    project_may_ensure(project, viewer, Right.MANAGE)
    room_ensure()
    accepted = ACCEPTED.count(project)
    if accepted == 0:
        raise ProductError(409, "nothing_accepted", "No label of this project is accepted yet.")
    wants = LabelWants(by_pseudonym(project), known=False, moves=False)
    lines = exported(labels_of(project, ACCEPTED, wants, discern.FORMAT), discern.FORMAT, ExportTally())
    name = f"Labels of {project.title}"[:_MAX_NAME_LENGTH].strip()
    dataset, is_new = dataset_of_lines(lines, name=name, format_=FORMAT.name, starter=viewer.user)
    if is_new:
        audited(viewer, Audited.DATASET_LOADED, f"{name}, version {dataset.version}", after=f"{accepted} labels")
    return dataset

/** From task to task: the one that was handed in last, and the one to go on with. */
import { nextTask, type NextOut, type TaskOut } from '../../../api/labelling/annotation';

class Trail {
  /** The page of the next task shows it. */
  handedIn = $state.raw<Pick<TaskOut, 'id' | 'question'> | null>(null);

  /** A task to label now; null with the reason where there is none. */
  async toLabel({ id, project }: TaskOut): Promise<NextOut> {
    const next = await nextTask(project);
    if (next.task !== id) return next;
    return { task: null, reason: 'This is your current task. Hand it in or skip it to get the next one.' };
  }

  /** The task after one: one's own, or else one to label. */
  async after(task: TaskOut): Promise<NextOut> {
    return task.next === null ? this.toLabel(task) : { task: task.next, reason: '' };
  }
}

export const trail = new Trail();

/** The tasks that somebody was at since the site was loaded, and the one that was handed in last. */
import { getHome, nextTask } from '../api/annotation';

class Trail {
  #visited: number[] = [];
  handedIn = $state.raw<{ readonly id: number; readonly question: string } | null>(null);

  /** Somebody is at a task now. */
  visit(task: number): void {
    if (!this.#visited.includes(task)) this.#visited.push(task);
  }

  /** The task before one; null where there is none. */
  before(task: number): number | null {
    return this.#visited[this.#visited.indexOf(task) - 1] ?? null;
  }

  /**
   * The task after one: one that was visited after it, a new one, or another that is open; null with the reason where
   * there is none.
   */
  async after(task: number, project: string): Promise<{ readonly task: number | null; readonly reason: string }> {
    const visited = this.#visited[this.#visited.indexOf(task) + 1];
    if (visited !== undefined) return { task: visited, reason: '' };
    const next = await nextTask(project);
    if (next.task !== task) return next;
    const { open } = await getHome();
    const other = open.find(({ id }) => !this.#visited.includes(id));
    if (other) return { task: other.id, reason: '' };
    return { task: null, reason: 'This is the task that you hold. Hand it in or skip it, and the next one comes.' };
  }
}

export const trail = new Trail();

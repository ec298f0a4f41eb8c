/** Saying that one has a case open, so that others look at another one. */
import { RequestFault } from '../../api/client';
import { holdCase, releaseCase } from '../../api/review/review';

/** It is said again so often, in milliseconds; the site forgets it after five minutes. */
const AGAIN = 120_000;
/** Who only goes on to another view of the case does not let it go, in milliseconds. */
const GRACE = 400;
const leaving = new Map<string, ReturnType<typeof setTimeout>>();

/** Hold a case until what is returned is called; `told` hears who else has it, or nobody. */
export function hold(of: string, key: string, told: (by: string) => void): () => void {
  const name = `${of} ${key}`;
  let held = true;
  clearTimeout(leaving.get(name));
  leaving.delete(name);
  const say = async () => {
    if (document.visibilityState !== 'visible') return;
    const by = await unlessRefused(holdCase(of, key));
    if (held && by !== undefined) told(by);
  };
  void say();
  const again = setInterval(() => void say(), AGAIN);
  return () => {
    held = false;
    clearInterval(again);
    const release = () => {
      leaving.delete(name);
      void unlessRefused(releaseCase(of, key));
    };
    leaving.set(name, setTimeout(release, GRACE));
  };
}

/** Who cannot be told that a case is held learns it later: nothing depends on it. */
async function unlessRefused<Told>(request: Promise<Told>): Promise<Told | undefined> {
  try {
    return await request;
  } catch (reason) {
    if (!(reason instanceof RequestFault)) throw reason;
    return undefined;
  }
}

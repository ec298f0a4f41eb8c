/** Claims a case while it is open, so that other reviewers take another one. */
import { RequestFault } from '../../api/client';
import { holdCase, releaseCase } from '../../api/review/review';

/** How often the claim is renewed, in milliseconds. It expires after five minutes. */
const AGAIN = 120_000;
/** Delay in milliseconds before the claim is released, so that another view of the same case keeps it. */
const GRACE = 400;
const leaving = new Map<string, ReturnType<typeof setTimeout>>();

/** Claim a case until the returned function is called. `onother` gets the name of the reviewer who has it, or "". */
export function claimCase(of: string, key: string, onother: (by: string) => void): () => void {
  const name = `${of} ${key}`;
  let held = true;
  clearTimeout(leaving.get(name));
  leaving.delete(name);
  const say = async () => {
    if (document.visibilityState !== 'visible') return;
    const by = await unlessRefused(holdCase(of, key));
    if (held && by !== undefined) onother(by);
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

/** A claim is only a hint: a refused request is ignored, and the next renewal reports it. */
async function unlessRefused<Result>(request: Promise<Result>): Promise<Result | undefined> {
  try {
    return await request;
  } catch (reason) {
    if (!(reason instanceof RequestFault)) throw reason;
    return undefined;
  }
}

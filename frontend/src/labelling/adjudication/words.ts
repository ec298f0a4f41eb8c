/** The words for labels beside each other and what is decided about them. */
import type { AcceptedOut, AdjudicationRowOut, Stand } from '../../api/labelling/adjudication';
import { shown } from '../../core/words/shown';
import { fixed, plural } from '../../core/words/format';

/** The letter of a label: A for the one that was handed in first. */
export const sideLetter = (side: number): string => String.fromCharCode(65 + side);

/** The colour of a label, for what it alone has; there are four. */
export const sideColour = (side: number): string => `var(--side-${(side % 4) + 1})`;

export const STANDS: Readonly<Record<Stand, string>> = {
  open: 'to adjudicate',
  waiting: 'labels are missing',
  accepted: 'accepted',
};

/** How an accepted label came about: "Rita took a label", "accepted: all labels say the same". */
export function acceptedWords({ how, reviewer }: Pick<AcceptedOut, 'how' | 'reviewer'>): string {
  const who = shown(reviewer) || 'A deleted user';
  switch (how) {
    case 'equal':
      return 'Accepted automatically: all labels are equal';
    case 'taken':
      return `${who} accepted a label`;
    case 'merged':
      return `${who} combined labels`;
    case 'withdrawn':
      return `${who} withdrew it`;
    case 'lapsed':
      return 'It was accepted, but is no longer valid on the current graph';
  }
}

/** What is to be known of the newest entry of a history: "Rita took a label, just now; labels changed since then". */
export function newestWords({ how, reviewer, comment }: AcceptedOut, stand: Stand, when = ''): string {
  const words = `${acceptedWords({ how, reviewer })}${when && `, ${when}`}`;
  if (how === 'lapsed') return `${words}: ${shown(comment)}`;
  return stand === 'accepted' || how === 'withdrawn' ? words : `${words}; labels changed since then`;
}

/** How a task's labels stand to each other: "2 labels, agree by 0.29". */
export function agreementWords({ labels, agreed, agreement }: AdjudicationRowOut): string {
  const count = plural(labels, 'label');
  if (agreed === null || agreement === null) return count;
  if (agreed) return `${count}, all equal`;
  return `${count}, ${agreement === 1 ? 'the same answers' : `agreement ${fixed(agreement, 2)}`}`;
}

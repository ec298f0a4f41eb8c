/** Differences of evaluations in words. */
import type { MeanDifferenceOut } from '../../api/evaluations/comparisons';
import { percent, percentPoints } from '../../core/words/format';
import { points } from '../words';

interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The two ends of a 95 % interval of a share: "22.7 to 36.7 %". */
export function intervalWords({ low, high }: Interval): string {
  return `${percentPoints(low)} to ${percent(high)}`;
}

/** Whether a difference is one for certain: not by the chance of which questions were asked. */
export function isCertain({ interval: { low, high } }: MeanDifferenceOut): boolean {
  return low > 0 || high < 0;
}

const size = (share: number) => percentPoints(Math.abs(share));

/** A difference with its interval: "better by 2.1 points, between 0.4 and 3.9". */
export function differenceWords(mean: MeanDifferenceOut): string {
  const { difference, interval } = mean;
  const { low, high } = interval;
  if (low === 0 && high === 0) return 'the same';
  if (!isCertain(mean)) {
    return `no significant difference: ${points(difference)} points, between ${points(low)} and ${points(high)}`;
  }
  const [least, most] = difference > 0 ? [low, high] : [high, low];
  const word = difference > 0 ? 'better' : 'worse';
  return `${word} by ${size(difference)} points, between ${size(least)} and ${size(most)}`;
}

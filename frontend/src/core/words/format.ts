/** How numbers, shares, sizes, durations and dates are written. Nothing else formats them. */
import { filled } from './filled';
import { SHARE } from '../../api/wording';

/** "1 fact", "4,310 facts". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** A whole number with thousands set apart. */
export function number(value: number): string {
  return value.toLocaleString('en-GB');
}

/** The size of a file: "812 bytes", "40.2 kB", "1.3 GB". */
export function bytesWords(bytes: number): string {
  if (bytes < 1000) return plural(bytes, 'byte');
  const [unit, size] = bytes < 1e6 ? ['kB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : ['GB', 1e9];
  return `${fixed(bytes / size, 1)} ${unit}`;
}

/** A share in per cent: "83.5 %"; a dash where there is none. */
export function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? '–' : `${percentPoints(share)} %`;
}

/** A probability in per cent, in words: "94 %", "under 1 %"; what is not certain is never shown as 100 %. */
export function certaintyWords(probability: number): string {
  const share = Math.floor(probability * 100 + 0.5);
  const bounded = share === 0 ? SHARE.under : share === 100 && probability < 1 ? SHARE.over : SHARE.share;
  return filled(bounded, { share: `${share}` });
}

/** A probability in two digits: ".94". What is not certain is never shown as 1, and what is possible never as 0. */
export function probabilityWords(probability: number): string {
  if (probability > 0 && probability < 0.005) return '<.01';
  if (probability >= 0.995 && probability < 1) return '>.99';
  const text = probability.toFixed(2);
  return text.startsWith('0') ? text.slice(1) : '1.0';
}

/** Seconds with as many digits as matter. */
export function secondsWords(seconds: number): string {
  if (seconds < 0.01) return 'under 0.01 s';
  return seconds < 10 ? `${fixed(seconds, 2)} s` : `${fixed(seconds, 0)} s`;
}

/** How long ago something was, in words. */
export function agoWords(then: Date, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - then.getTime()) / 1000);
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return plural(Math.floor(seconds / 86_400), 'day') + ' ago';
}

/** A share in whole per cent, where room is short: "84 %". */
export function wholePercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A number with a maximum of digits after the point: "1,234.5". */
export function decimal(value: number, digits: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: digits });
}

/** A number with exactly this number of digits after the point: "0.57", "−1.20"; a dash where there is none. */
export function fixed(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined) return '–';
  const size = Math.abs(value).toLocaleString('en-GB', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return value < 0 && /[1-9]/.test(size) ? `−${size}` : size;
}

/** A share in per cent without its sign, where two share one: "22.7" of "22.7 to 36.7 %". */
export function percentPoints(share: number): string {
  return fixed(share * 100, 1);
}

/** The day of a moment: "27 November 2026". */
export function dayWords(at: string): string {
  return new Date(at).toLocaleDateString('en-GB', { dateStyle: 'long' });
}

/** A moment to the minute, or to the second: "27 November 2026 at 14:03". */
export function momentWords(at: string, precision: 'minute' | 'second' = 'minute'): string {
  return new Date(at).toLocaleString('en-GB', {
    dateStyle: 'long',
    timeStyle: precision === 'minute' ? 'short' : 'medium',
  });
}

/** The time of day of a moment: "14:03:27". */
export function clockWords(at: string): string {
  return new Date(at).toLocaleTimeString('en-GB', { timeStyle: 'medium' });
}

/** The name of a month, counted from 1. */
export function monthName(month: number): string {
  return new Date(Date.UTC(2000, month - 1, 1)).toLocaleString('en-GB', { month: 'long', timeZone: 'UTC' });
}

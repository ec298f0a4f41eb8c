/** Plotly, loaded when the first chart is drawn. Its styles are in `Chart.svelte`: our policy forbids inline ones. */

/** A series of bars. */
interface Bars {
  readonly type: 'bar';
  readonly name: string;
  readonly x: readonly (string | number)[];
  readonly y: readonly (number | null)[];
  readonly text: readonly string[];
  readonly textposition: 'outside' | 'auto' | 'none';
  readonly cliponaxis: boolean;
  readonly hovertext: readonly string[];
  readonly hoverinfo: 'text';
  readonly marker: { readonly color: string | readonly string[] };
  readonly constraintext: 'none';
}

/** A row of cells: bars that lie. */
interface Cells {
  readonly type: 'bar';
  readonly orientation: 'h';
  readonly name: string;
  readonly x: readonly number[];
  readonly base: readonly number[];
  readonly y: readonly number[];
  readonly width: number;
  readonly text: readonly string[];
  readonly textposition: 'inside';
  readonly insidetextanchor: 'middle';
  readonly textangle: 0;
  readonly insidetextfont: { readonly size: number; readonly color: readonly string[] };
  readonly cliponaxis: boolean;
  readonly hovertext: readonly string[];
  readonly hoverinfo: 'text';
  readonly constraintext: 'none';
  readonly marker: { readonly color: string; readonly opacity: readonly number[] };
}

/** A line through points, each with its interval where it has one. */
interface Line {
  readonly type: 'scatter';
  readonly mode: 'lines+markers';
  readonly name: string;
  readonly x: readonly (string | number)[];
  readonly y: readonly (number | null)[];
  readonly cliponaxis: boolean;
  readonly error_y: {
    readonly type: 'data';
    readonly symmetric: false;
    readonly array: readonly number[];
    readonly arrayminus: readonly number[];
    readonly thickness: number;
    readonly width: number;
  };
  readonly hovertext: readonly string[];
  readonly hoverinfo: 'text';
  readonly connectgaps: boolean;
  readonly line: { readonly color: string; readonly width: number };
  readonly marker: { readonly color: string; readonly size: number };
}

/** Points by themselves, each with its label. */
interface Points extends Omit<Line, 'mode' | 'x'> {
  readonly mode: 'text+markers';
  readonly x: readonly (number | null)[];
  readonly text: readonly string[];
  readonly textposition: 'middle right';
}

export type Trace = Bars | Cells | Line | Points;

/** What was clicked. */
interface PlotPoint {
  readonly curveNumber: number;
  readonly pointNumber: number;
}

/** An element that Plotly draws in. */
export interface PlotElement extends HTMLElement {
  on?: (event: 'plotly_click', listener: (event: { readonly points: readonly PlotPoint[] }) => void) => void;
}

interface Plotly {
  react(element: HTMLElement, traces: readonly Trace[], layout: object, config: object): Promise<PlotElement>;
  toImage(element: HTMLElement, how: { format: 'svg'; width: number; height: number }): Promise<string>;
  purge(element: HTMLElement): void;
}

let loading: Promise<Plotly> | undefined;

/** Plotly's drawing functions; a load that failed is tried again by the next chart. */
export function plotly(): Promise<Plotly> {
  loading ??= load().catch((reason: unknown) => {
    loading = undefined;
    throw reason;
  });
  return loading;
}

async function load(): Promise<Plotly> {
  // Plotly leaves the style sheet to us where an element of this name and class is there.
  const mark = document.createElement('meta');
  mark.id = 'plotly.js-style-global';
  mark.className = 'no-inline-styles';
  document.head.append(mark);
  const module = await import('plotly.js-basic-dist-min');
  return module.default as unknown as Plotly;
}

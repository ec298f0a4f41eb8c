/** Input of Plotly: bars, or a map of cells. */
import { wholePercent } from '../../core/words/format';
import type { Series } from './Chart.svelte';
import type { Trace } from './plotly';

/** How the page looks. */
export interface Look {
  readonly width: number;
  readonly height: number;
  /** A colour of the page by its name. */
  readonly colour: (name: string) => string;
  /** A colour of the palette; the accent where there is no index. */
  readonly palette: (index: number | undefined) => string;
}

export interface Drawing {
  readonly traces: readonly Trace[];
  readonly layout: object;
}

/** What a chart says beside its series. */
export interface Wording {
  /** What stands along the axes. */
  readonly across: string;
  readonly up: string;
  readonly percent: boolean;
  /** The top of the axis; as the bars ask for where it is left out. */
  readonly most: number | undefined;
}

/** Between groups of bars, as a share of the room that each has. */
const BAR_GAP = 0.35;
/** Above the axes, in pixels. */
const TOP = 18;
/** In pixels: *100%* and some air. Where bars are narrower, the tooltip and the table show their values. */
const LABEL_WIDTH = 38;
const NARROW = 420;
/** Of the room that a cell has, so much of it is drawn. */
const CELL = 0.94;
/** Places across stand on a logarithmic scale from this ratio of the largest to the smallest on. */
const FAR = 5;
/** Of a cell's colour: that of the smallest count. */
const FAINTEST = 0.16;
/** Below a chart of points stand its axis and a line of the legend for each series, so high in pixels. */
const AXIS_HEIGHT = 58;
export const LEGEND_LINE = 19;
/** From here on a cell is so near to the accent that its count stands in the colour of the page's ground. */
const DARK = 0.85;

/** Bars, in groups where there are several series. */
export function barDrawing(series: readonly Series[], look: Look, words: Wording): Drawing {
  const narrow = look.width < NARROW;
  const count = series.reduce((sum, { bars }) => sum + bars.length, 0);
  const crowded = series.length > 1 && ((1 - BAR_GAP) * look.width) / count < LABEL_WIDTH;
  const traces = series.map(({ name, bars }, index) => ({
    type: 'bar' as const,
    name,
    x: bars.map(({ label }) => (narrow ? label.replaceAll(' ', '<br>') : label)),
    y: bars.map(({ value }) => value),
    text: bars.map(({ value, words: text }) =>
      value === null ? '' : words.percent && series.length > 1 ? wholePercent(value) : text,
    ),
    textposition: (crowded ? 'none' : 'outside') as 'none' | 'outside',
    cliponaxis: false,
    hovertext: bars.map(({ label, words: text, note }) =>
      [series.length > 1 ? `${label}, ${name}` : label, text, note].filter(Boolean).join('<br>'),
    ),
    hoverinfo: 'text' as const,
    constraintext: 'none' as const,
    marker: {
      color: bars.map((bar) => look.palette(bar.colour ?? (series.length > 1 ? index + 1 : undefined))),
    },
  }));
  const layout = {
    ...common(look),
    margin: { l: 44, r: 8, t: TOP, b: 44 },
    xaxis: { ...axis(look), type: 'category', title: { text: words.across, font: { size: 12 } }, showgrid: false },
    yaxis: {
      ...axis(look),
      title: { text: words.up, font: { size: 12 } },
      rangemode: 'tozero',
      ...(words.most === undefined ? {} : { range: [0, words.most] }),
      tickformat: words.percent ? '.0%' : undefined,
      nticks: 5,
    },
    bargap: BAR_GAP,
    bargroupgap: 0.08,
    barcornerradius: 3,
    showlegend: series.length > 1,
    legend: { orientation: 'h', x: 0, y: 1.16, font: { size: 12 } },
  };
  return { traces, layout };
}

/** A line for each series, through its values in their order; with intervals where they have some. */
export function lineDrawing(series: readonly Series[], look: Look, words: Wording): Drawing {
  const { layout } = barDrawing(series, look, words);
  return { traces: linesOf(series, look), layout: { ...layout, hovermode: 'closest' } };
}

function linesOf(series: readonly Series[], look: Look) {
  return series.map(({ name, bars: points }, index) => {
    const color = look.palette(series.length > 1 ? index + 1 : undefined);
    const beyond = (side: 0 | 1) =>
      points.map(({ value, interval }) => (value === null || !interval ? 0 : Math.abs(interval[side] - value)));
    return {
      type: 'scatter' as const,
      mode: 'lines+markers' as const,
      name,
      x: points.map(({ label }) => label),
      y: points.map(({ value }) => value),
      error_y: {
        type: 'data' as const,
        symmetric: false as const,
        array: beyond(1),
        arrayminus: beyond(0),
        thickness: 1.2,
        width: 4,
      },
      hovertext: points.map(({ label, words: text, note }) => [`${label}, ${name}`, text, note].join('<br>')),
      hoverinfo: 'text' as const,
      connectgaps: false,
      cliponaxis: false,
      line: { color, width: 2 },
      marker: { color, size: 8 },
    };
  });
}

/** A point for each value, at its place across, with its interval and its label; on a logarithmic scale if they lie far apart. */
export function pointDrawing(series: readonly Series[], look: Look, words: Wording): Drawing {
  const { layout } = barDrawing(series, look, words);
  const places = series.flatMap(({ bars }) => bars.flatMap(({ at }) => (at === undefined ? [] : [at])));
  const below = AXIS_HEIGHT + LEGEND_LINE * series.length;
  const isWide = Math.max(...places) > FAR * Math.min(...places);
  return {
    traces: linesOf(series, look).map((trace, index) => {
      const bars = series[index]?.bars ?? [];
      return {
        ...trace,
        mode: 'text+markers' as const,
        x: bars.map(({ at }) => at ?? null),
        text: bars.map(({ label }) => label),
        textposition: 'middle right' as const,
        marker: { ...trace.marker, color: look.palette(index + 1), size: 11 },
      };
    }),
    layout: {
      ...layout,
      hovermode: 'closest',
      xaxis: {
        ...axis(look),
        ...(isWide ? { type: 'log', dtick: 'D2' } : { type: 'linear', rangemode: 'tozero', nticks: 6 }),
        title: { text: words.across, font: { size: 12 } },
      },
      legend: { x: 0, yanchor: 'top', y: -AXIS_HEIGHT / (look.height - TOP - below), font: { size: 12 } },
      margin: { l: 52, r: 20, t: TOP, b: below },
    },
  };
}

/** A map of cells: a row for each series, a column for each label; the more, the darker. */
export function cellDrawing(series: readonly Series[], look: Look, words: Wording): Drawing {
  const columns = columnsOf(series);
  const most = Math.max(...series.flatMap(({ bars }) => bars.map(({ value }) => value ?? 0)));
  const share = (value: number | null) => FAINTEST + (1 - FAINTEST) * Math.sqrt((value ?? 0) / most);
  // Cells are bars that lie: what is pointed at is the whole of each.
  const traces = series.map(({ name, bars }, row) => ({
    type: 'bar' as const,
    orientation: 'h' as const,
    name,
    x: bars.map(() => CELL),
    base: bars.map(({ label }) => columns.indexOf(label) - CELL / 2),
    y: bars.map(() => row),
    width: CELL,
    text: bars.map(({ words: text }) => text),
    textposition: 'inside' as const,
    insidetextanchor: 'middle' as const,
    textangle: 0 as const,
    insidetextfont: {
      size: 11,
      color: bars.map(({ value }) => look.colour(share(value) > DARK ? '--surface' : '--ink')),
    },
    cliponaxis: false,
    hovertext: bars.map(({ words: text, note }) => [note, text].join('<br>')),
    hoverinfo: 'text' as const,
    constraintext: 'none' as const,
    marker: { color: look.colour('--accent'), opacity: bars.map(({ value }) => share(value)) },
  }));
  const names = series.map(({ name }) => name);
  const layout = {
    ...common(look),
    margin: { l: 8, r: 8, t: 8, b: 8 },
    xaxis: {
      ...named(columns, look),
      range: [-0.5, columns.length - 0.5],
      tickangle: -40,
      title: { text: words.across, font: { size: 12 }, standoff: 10 },
    },
    yaxis: {
      ...named(names, look),
      range: [names.length - 0.5, -0.5],
      title: { text: words.up, font: { size: 12 }, standoff: 10 },
    },
    barmode: 'overlay',
    barcornerradius: 2,
    showlegend: false,
    hovermode: 'closest',
  };
  return { traces, layout };
}

/** The labels of all series, those with the largest sums first. */
function columnsOf(series: readonly Series[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const { label, value } of series.flatMap(({ bars }) => bars))
    sums.set(label, (sums.get(label) ?? 0) + (value ?? 0));
  return [...sums].sort(([, a], [, b]) => b - a).map(([label]) => label);
}

/** An axis with a name at each whole number. */
function named(names: readonly string[], look: Look) {
  const tickvals = names.map((_, index) => index);
  return { ...axis(look), zeroline: false, tickmode: 'array', tickvals, ticktext: names, tickfont: { size: 11 } };
}

function axis({ colour }: Look) {
  return {
    color: colour('--ink-3'),
    gridcolor: colour('--line'),
    linecolor: colour('--line-strong'),
    zerolinecolor: colour('--line-strong'),
    fixedrange: true,
    automargin: true,
  };
}

function common({ width, height, colour }: Look) {
  return {
    width,
    height,
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    font: { family: colour('--sans'), size: 12, color: colour('--ink-2') },
    hoverlabel: {
      bgcolor: colour('--surface'),
      bordercolor: colour('--line-strong'),
      font: { family: colour('--sans'), size: 12, color: colour('--ink') },
    },
    dragmode: false,
  };
}

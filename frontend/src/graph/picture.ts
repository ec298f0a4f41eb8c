/** A drawing as shapes: painted on a canvas, or written as SVG. */
import { written } from '../core/drawing/export';
import type { Point } from '../core/drawing/layout';

export interface Line {
  readonly kind: 'line';
  readonly from: Point;
  readonly to: Point;
  readonly colour: string;
  readonly alpha: number;
  readonly width: number;
  readonly dashed: boolean;
  /** Whether it ends in a head. */
  readonly arrow: boolean;
}

export interface Circle {
  readonly kind: 'circle';
  readonly at: Point;
  readonly radius: number;
  /** Null leaves it empty. */
  readonly fill: string | null;
  readonly stroke: string;
  readonly width: number;
  /** What it stands for. */
  readonly title?: string;
}

export interface Text {
  readonly kind: 'text';
  /** The middle of its height; of its width as `align` says. */
  readonly at: Point;
  readonly text: string;
  readonly size: number;
  readonly weight: number;
  readonly align: 'left' | 'center' | 'right';
  readonly colour: string;
  /** The colour around the letters, which keeps them apart from what lies beneath. */
  readonly halo: string | null;
}

export type Shape = Line | Circle | Text;

/** A drawing that can be taken away. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly ground: string;
  readonly font: string;
  /** What it shows, and how much of it. */
  readonly caption: string;
  readonly captionColour: string;
  readonly shapes: readonly Shape[];
}

const DASH = [4, 4];
const HALO = 3.5;
const HEAD = 7;
/** The room of the caption beneath a picture. */
const CAPTION = 28;
/** Pixels of a file for one of the screen, so that it can be printed. */
export const SCALE = 2;

/** Paint shapes on a canvas. */
export function paint(context: CanvasRenderingContext2D, shapes: readonly Shape[], font: string): void {
  context.lineJoin = 'round';
  context.textBaseline = 'middle';
  for (const shape of shapes) {
    if (shape.kind === 'line') paintLine(context, shape);
    else if (shape.kind === 'circle') paintCircle(context, shape);
    else paintText(context, shape, font);
  }
}

function paintLine(context: CanvasRenderingContext2D, line: Line): void {
  context.globalAlpha = line.alpha;
  context.strokeStyle = line.colour;
  context.lineWidth = line.width;
  context.setLineDash(line.dashed ? DASH : []);
  context.beginPath();
  context.moveTo(line.from.x, line.from.y);
  context.lineTo(line.to.x, line.to.y);
  context.stroke();
  context.setLineDash([]);
  if (line.arrow) {
    context.fillStyle = line.colour;
    context.beginPath();
    headOf(line).forEach(({ x, y }, index) => (index === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    context.fill();
  }
  context.globalAlpha = 1;
}

function paintCircle(context: CanvasRenderingContext2D, { at, radius, fill, stroke, width }: Circle): void {
  context.beginPath();
  context.arc(at.x, at.y, radius, 0, 2 * Math.PI);
  if (fill !== null) {
    context.fillStyle = fill;
    context.fill();
  }
  context.strokeStyle = stroke;
  context.lineWidth = width;
  context.stroke();
}

function paintText(context: CanvasRenderingContext2D, text: Text, font: string): void {
  context.font = `${text.weight} ${text.size}px ${font}`;
  context.textAlign = text.align;
  if (text.halo !== null) {
    context.lineWidth = HALO;
    context.strokeStyle = text.halo;
    context.strokeText(text.text, text.at.x, text.at.y);
  }
  context.fillStyle = text.colour;
  context.fillText(text.text, text.at.x, text.at.y);
}

/** A picture as SVG; every name in it is text. */
export function svgOf({ width, height, ground, font, caption, captionColour, shapes }: Picture): string {
  const total = height + CAPTION;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" font-family="${written(font)}">`,
    `<title>${written(caption)}</title>`,
    `<rect width="${width}" height="${total}" fill="${ground}"/>`,
    ...shapes.map(shapeSvg),
    textSvg(captionOf(caption, captionColour, height)),
    '</svg>\n',
  ].join('\n');
}

function shapeSvg(shape: Shape): string {
  switch (shape.kind) {
    case 'line':
      return lineSvg(shape);
    case 'circle': {
      const { at, radius, fill, stroke, width, title } = shape;
      const inside = title === undefined ? '/>' : `><title>${written(title)}</title></circle>`;
      return `<circle cx="${short(at.x)}" cy="${short(at.y)}" r="${short(radius)}" fill="${fill ?? 'none'}" stroke="${stroke}" stroke-width="${short(width)}"${inside}`;
    }
    case 'text':
      return textSvg(shape);
  }
}

function lineSvg(line: Line): string {
  const { from, to, colour, alpha, width, dashed, arrow } = line;
  const shape = `<line x1="${short(from.x)}" y1="${short(from.y)}" x2="${short(to.x)}" y2="${short(to.y)}" stroke="${colour}" stroke-width="${short(width)}"${dashed ? ` stroke-dasharray="${DASH.join(' ')}"` : ''}${opacity(alpha)}/>`;
  if (!arrow) return shape;
  const points = headOf(line).map(({ x, y }) => `${short(x)},${short(y)}`);
  return `${shape}<polygon points="${points.join(' ')}" fill="${colour}"${opacity(alpha)}/>`;
}

function opacity(alpha: number): string {
  return alpha < 1 ? ` opacity="${short(alpha)}"` : '';
}

function textSvg({ at, text, size, weight, align, colour, halo }: Text): string {
  const anchor = { left: 'start', center: 'middle', right: 'end' }[align];
  const around =
    halo === null ? '' : ` stroke="${halo}" stroke-width="${HALO}" stroke-linejoin="round" paint-order="stroke"`;
  return `<text x="${short(at.x)}" y="${short(at.y)}" dy="0.35em" font-size="${short(size)}" font-weight="${weight}" text-anchor="${anchor}" fill="${colour}"${around}>${written(text)}</text>`;
}

/** A picture as PNG. */
export async function pngOf(picture: Picture): Promise<Blob> {
  const { width, height, ground, font, caption, captionColour, shapes } = picture;
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * SCALE);
  canvas.height = Math.round((height + CAPTION) * SCALE);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('a canvas without a context');
  context.scale(SCALE, SCALE);
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height + CAPTION);
  paint(context, [...shapes, captionOf(caption, captionColour, height)], font);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture was made'))), 'image/png');
  });
}

function captionOf(text: string, colour: string, height: number): Text {
  const at = { x: 14, y: height + CAPTION / 2 };
  return { kind: 'text', at, text, size: 11.5, weight: 400, align: 'left', colour, halo: null };
}

/** The three corners of a line's head. */
function headOf({ from, to, width }: Line): readonly Point[] {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [x, y] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const long = Math.min(HEAD, 3 + 2 * width);
  const wide = long * 0.45;
  return [
    to,
    { x: to.x - x * long - y * wide, y: to.y - y * long + x * wide },
    { x: to.x - x * long + y * wide, y: to.y - y * long - x * wide },
  ];
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

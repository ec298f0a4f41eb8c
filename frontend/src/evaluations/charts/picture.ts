/** A chart as a picture. Plotly makes a drawing of it; our policy lets a page show such ones alone as data. */
import { plotly } from './plotly';

const [WIDTH, HEIGHT] = [900, 480];
/** Dots of the picture for one of the drawing. */
const SCALE = 2;

/** The picture as PNG, on the ground that the page has. */
export async function chartPicture(drawing: HTMLElement): Promise<Blob> {
  const library = await plotly();
  const address = await library.toImage(drawing, { format: 'svg', width: WIDTH, height: HEIGHT });
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [WIDTH * SCALE, HEIGHT * SCALE];
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser cannot draw the chart');
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--surface').trim();
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (made) => (made === null ? reject(new Error('the browser returned no picture')) : resolve(made)),
      'image/png',
    ),
  );
}

/** A drawing as a short text: within an address, so that nothing is kept on the site, or as the site keeps it. */
import type { KeptDrawing } from '../core/drawing/exploration';

/** What the site keeps of a drawing: JSON that says its form, and the drawing packed. */
export async function keptText(drawing: KeptDrawing): Promise<string> {
  return JSON.stringify({ form: drawing.form, packed: await packed(drawing) });
}

/** The drawing of such a text; the first ones were kept as they are. */
export async function readKept(text: string): Promise<unknown> {
  const kept = JSON.parse(text) as { readonly packed?: unknown };
  return typeof kept.packed === 'string' ? unpacked(kept.packed) : kept;
}

/** A value as a short text that may stand in an address. */
export async function packed(value: unknown): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream('deflate-raw'));
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** What `packed` was given; null where the text is none of its own, or was cut off. */
export async function unpacked(text: string): Promise<unknown> {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
      letter.charCodeAt(0),
    );
    return JSON.parse(
      new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw'))),
    ) as unknown;
  } catch {
    return null;
  }
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

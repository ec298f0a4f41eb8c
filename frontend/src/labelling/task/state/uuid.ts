/** A random UUID. `crypto.randomUUID` is only there where a page came by HTTPS, or from this machine. */
export function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte, place) => {
    const value = place === 6 ? (byte & 0x0f) | 0x40 : place === 8 ? (byte & 0x3f) | 0x80 : byte;
    return value.toString(16).padStart(2, '0');
  });
  return [0, 4, 6, 8, 10].map((start, part) => hex.slice(start, [4, 6, 8, 10, 16][part]).join('')).join('-');
}

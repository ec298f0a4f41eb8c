/** What a mailed link carries after its `#`. It is taken out of the address, so that it is not copied with the address. */
export function takeKey(): string | null {
  const key = location.hash.slice(1);
  if (key === '') return null;
  history.replaceState(null, '', location.pathname);
  return key;
}

/** Light or dark: what the system asks for, unless someone chose here. */
import type { Scheme } from '../core/drawing/palette';

const KEY = 'discern.theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');

class Theme {
  #chosen = $state<Scheme | null>(stored());
  #system = $state<Scheme>(system.matches ? 'dark' : 'light');

  constructor() {
    system.addEventListener('change', ({ matches }) => {
      this.#system = matches ? 'dark' : 'light';
      this.#show();
    });
    this.#show();
  }

  /** What is shown. */
  get scheme(): Scheme {
    return this.#chosen ?? this.#system;
  }

  /** Show the other one; what the system would show anyway is not remembered as a choice. */
  toggle(): void {
    const other = this.scheme === 'light' ? 'dark' : 'light';
    this.#chosen = other === this.#system ? null : other;
    if (this.#chosen) localStorage.setItem(KEY, this.#chosen);
    else localStorage.removeItem(KEY);
    this.#show();
  }

  #show(): void {
    document.documentElement.dataset['theme'] = this.scheme;
  }
}

function stored(): Scheme | null {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : null;
}

export const theme = new Theme();

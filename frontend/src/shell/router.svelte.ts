/** Which page is shown. Only pages make history; what is looked at on one replaces its query string. */

export type Page =
  | { readonly name: 'ask' }
  | { readonly name: 'explore' }
  | { readonly name: 'exploration'; readonly id: string }
  | { readonly name: 'run'; readonly id: string }
  | { readonly name: 'ask-side-by-side' }
  | { readonly name: 'side-by-side'; readonly id: string }
  | { readonly name: 'evaluations' }
  | { readonly name: 'evaluation'; readonly id: string }
  | { readonly name: 'comparison'; readonly id: string; readonly others: readonly [string, ...string[]] }
  | { readonly name: 'datasets' }
  | { readonly name: 'dataset'; readonly id: string }
  | { readonly name: 'graphs' }
  | { readonly name: 'models' }
  | { readonly name: 'learning' }
  | { readonly name: 'chain'; readonly id: string }
  | { readonly name: 'questions' }
  | { readonly name: 'feedback' }
  | { readonly name: 'account' }
  | { readonly name: 'people' }
  | { readonly name: 'reset' }
  | { readonly name: 'invitation' }
  | { readonly name: 'annotate' }
  | { readonly name: 'project'; readonly id: string }
  | { readonly name: 'agreement'; readonly id: string }
  | { readonly name: 'log'; readonly id: string }
  | { readonly name: 'task'; readonly id: number }
  | { readonly name: 'to-decide'; readonly id: string }
  | { readonly name: 'adjudicate'; readonly id: number }
  | { readonly name: 'review' }
  | { readonly name: 'cases'; readonly of: string }
  | { readonly name: 'case'; readonly of: string; readonly key: string }
  | { readonly name: 'unknown'; readonly path: string };

const ADDRESS =
  /^\/(runs|evaluations|datasets|explore)\/([0-9a-f-]{36})(?:\/against\/([0-9a-f-]{36}(?:\/[0-9a-f-]{36})*))?\/?$/;

/** A project and a task of those who label, a UUID and a number, and the figures and decisions about their labels. */
const LABELLING =
  /^\/annotate\/(?:projects\/([0-9a-f-]{36})(?:\/(agreement|adjudicate|log))?|tasks\/(\d{1,15})(\/adjudicate)?)\/?$/;

/** The cases of an evaluation, or of what askers said is wrong, and one of them: a position or a UUID. */
const REVIEWING = /^\/review\/(asked|[0-9a-f-]{36})(?:\/cases\/(\d{1,9}|[0-9a-f-]{36}))?\/?$/;

/** What was asked in several ways at once; without an id, where one asks so. */
const SIDE_BY_SIDE = /^\/side-by-side(?:\/([0-9a-f-]{36}))?\/?$/;

/** A chain from labels to a judged model. */
const LEARNING = /^\/learning\/([0-9a-f-]{36})\/?$/;

const PLAIN = /^\/(\w+)\/?$/;
const PLAIN_PAGES = [
  'explore',
  'annotate',
  'review',
  'graphs',
  'models',
  'learning',
  'questions',
  'feedback',
  'account',
  'people',
  'reset',
  'invitation',
] as const;

/** Whether a word is the whole address of a page. */
function isPlain(word: string | undefined): word is (typeof PLAIN_PAGES)[number] {
  return PLAIN_PAGES.some((page) => page === word);
}

/** The page of an address. */
function pageOf(path: string): Page {
  if (path === '/') return { name: 'ask' };
  if (/^\/evaluations\/?$/.test(path)) return { name: 'evaluations' };
  if (/^\/datasets\/?$/.test(path)) return { name: 'datasets' };
  const plain = PLAIN.exec(path)?.[1];
  if (isPlain(plain)) return { name: plain };
  const [, project, aspect, task, decides] = LABELLING.exec(path) ?? [];
  if (project && (aspect === 'agreement' || aspect === 'log')) return { name: aspect, id: project };
  if (project && aspect) return { name: 'to-decide', id: project };
  if (project) return { name: 'project', id: project };
  if (task) return { name: decides ? 'adjudicate' : 'task', id: Number(task) };
  const [, of, key] = REVIEWING.exec(path) ?? [];
  if (of) return key ? { name: 'case', of, key } : { name: 'cases', of };
  const beside = SIDE_BY_SIDE.exec(path);
  if (beside) return beside[1] ? { name: 'side-by-side', id: beside[1] } : { name: 'ask-side-by-side' };
  const [, chain] = LEARNING.exec(path) ?? [];
  if (chain) return { name: 'chain', id: chain };
  const [, feature, id, against] = ADDRESS.exec(path) ?? [];
  const [other, ...more] = against?.split('/') ?? [];
  if (feature === 'runs' && id && !other) return { name: 'run', id };
  if (feature === 'explore' && id && !other) return { name: 'exploration', id };
  if (feature === 'datasets' && id && !other) return { name: 'dataset', id };
  if (feature === 'evaluations' && id)
    return other ? { name: 'comparison', id, others: [other, ...more] } : { name: 'evaluation', id };
  return { name: 'unknown', path };
}

class Router {
  page = $state.raw<Page>(pageOf(location.pathname));
  /** The query string. */
  search = $state(location.search);

  constructor() {
    window.addEventListener('popstate', () => this.#read());
  }

  /** Go to a page of this site. */
  go(path: string): void {
    history.pushState(null, '', path);
    this.#read();
    window.scrollTo(0, 0);
  }

  /** Go to a page of this site in the place of this one: the way back leads past it. */
  replace(path: string): void {
    history.replaceState(null, '', path);
    this.#read();
  }

  /** Keep what is looked at in the address, without a new entry in the history. */
  keep(query: string): void {
    if (query !== location.search) history.replaceState(null, '', location.pathname + query);
    this.search = location.search;
  }

  #read(): void {
    this.page = pageOf(location.pathname);
    this.search = location.search;
  }

  /** For a link's click: go there without loading the site again, unless a new tab was asked for. */
  follow = (event: MouseEvent & { currentTarget: HTMLAnchorElement }): void => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    this.go(event.currentTarget.pathname + event.currentTarget.search);
  };
}

export const router = new Router();

/** Which folder may know which. Imports of types alone do not count, but for `graph`, `core` and `ui`. */

/** Each folder with those that it may import from, besides itself. */
const KNOWS = {
  api: [],
  core: ['api'],
  ui: ['core', 'api'],
  graph: ['ui', 'core', 'api'],
  shell: ['ui', 'core', 'api'],
};

/** The features with those that they may import from, besides each other's nothing and all of the above but `graph`. */
const FEATURES = {
  theatre: ['graph'],
  ask: ['theatre'],
  evaluations: [],
  scorers: [],
};
export default {};

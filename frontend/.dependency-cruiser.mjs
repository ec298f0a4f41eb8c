/**
 * Which folder may import from which, and that no imports form a circle.
 *
 * An import of types alone does not count for circles: it is gone when the code runs. For the folders it counts in
 * TypeScript files; of Svelte files the compiled code is read, which has no types.
 */

/** Each folder below `src`, with the others that it may know. The files beside them, such as `routes.ts`, know all. */
const KNOWS = {
  api: ['core/words/shown.ts'],
  core: ['api/types.ts', 'api/stages.ts', 'api/wording.ts', 'api/schema.d.ts'],
  ui: ['core', 'api'],
  graph: ['ui', 'core', 'api'],
  shell: ['ui', 'core', 'api'],
  run: ['graph', 'shell', 'ui', 'core', 'api'],
  ask: ['run', 'shell', 'ui', 'core', 'api'],
  compare: ['ask', 'run', 'shell', 'ui', 'core', 'api'],
  explore: ['graph', 'shell', 'ui', 'core', 'api'],
  evaluations: ['shell', 'ui', 'core', 'api'],
  admin: ['shell', 'ui', 'core', 'api'],
  models: ['evaluations', 'shell', 'ui', 'core', 'api'],
  labelling: ['run', 'shell', 'ui', 'core', 'api'],
  review: ['run', 'shell', 'ui', 'core', 'api'],
};

const folders = Object.keys(KNOWS);

export default {
  forbidden: [
    {
      name: 'no-circle',
      comment: 'Modules that need each other cannot be read, tested or loaded one at a time.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'known-folder',
      comment: 'A folder below src is named, with what it may know, in .dependency-cruiser.mjs.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: `^src/(${folders.join('|')})/` },
      to: {},
    },
    ...Object.entries(KNOWS).map(([folder, known]) => ({
      name: `${folder}-knows`,
      comment: `src/${folder} may import from: ${[folder, ...known].join(', ')}.`,
      severity: 'error',
      from: { path: `^src/${folder}/`, pathNot: '[.]test[.]ts$' },
      to: {
        path: '^src/',
        pathNot: `^src/(${[folder, ...known].map((each) => each.replaceAll('.', '[.]')).join('|')})(/|$)`,
      },
    })),
    {
      name: 'core-is-pure',
      comment: 'core folds, lays out and words; it draws nothing and asks nobody.',
      severity: 'error',
      from: { path: '^src/core/', pathNot: '[.]test[.]ts$' },
      to: { path: 'node_modules' },
    },
    {
      name: 'not-resolved',
      comment: 'An import of a file that is not there.',
      severity: 'error',
      from: { path: '^src/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['svelte', 'browser', 'import', 'default'] },
  },
};

/** The method's terms, each explained in a line where it appears. */

export interface Entry {
  readonly title: string;
  readonly text: string;
}

export const GLOSSARY = {
  structure: {
    title: 'Structure, S\u2096',
    text: 'The facts with their entities grouped by where they stand. Each step of the search adds one group and the relation that leads to it.',
  },
  facts: {
    title: 'Facts, G\u2096',
    text: 'Every fact that the search has brought in so far, in the colours of the structure. Conditions take out those that do not meet them.',
  },
  mediator: {
    title: 'Mediator',
    text: 'A hollow dot is an entity without a name that only links others: one appearance joins an actor, a character and a programme.',
  },
  operator: {
    title: 'Condition',
    text: 'A place in the structure, an operator (=, <, ≤, >, ≥, min or max) and, but for min and max, a target named in the question. Discern adds two: a link may be asked to have held at a date, or to hold now, where no beginning or no end passes; and what stands at a place may be asked to be of a kind, such as a country, the answer too.',
  },
  pool: {
    title: 'Pool of options',
    text: 'Everything that was possible at this step. The model gives each option a probability and never answers with anything else.',
  },
  none: {
    title: 'None',
    text: 'Nothing more of this stage: the search ends, or no further condition is set. It is an option like any other.',
  },
  readings: {
    title: 'Readings',
    text: 'A reading is one way to understand the question: where it begins, what it follows, which conditions it sets. Each round takes every kept reading one decision further and keeps the most probable.',
  },
  probability: {
    title: 'Kept by probability',
    text: 'Of everything that was possible at this step, the most probable options were kept. All probabilities together are 1.',
  },
  score: {
    title: 'Kept by score',
    text: 'Of everything that was possible at this step, the options with the highest scores were kept. A score has no fixed range: it tells only which option is above which.',
  },
  attention: {
    title: 'Kept by attention',
    text: 'Of everything that was possible at this step, the options that the model attends to most were kept. Attention lies between 0 and 1, and is no probability.',
  },
  depth: {
    title: 'How far to look',
    text: 'The words of the question say how many relations lie between what it is about and its answers. The explorer ends after the most probable number of layers.',
  },
  debate: {
    title: 'Debate',
    text: 'Three roles shorten the question by what was just found: the simplifier takes the answered part out, the critic objects, the linguist removes what is left of it. Rules stand in for them where no model writes.',
  },
  tried: {
    title: 'Enough?',
    text: 'After each relation the model is asked whether anything more is needed to answer what is asked by now. Below .50, mostly, the question is shortened and the search goes on.',
  },
  plan: {
    title: 'Plan',
    text: 'The relations to follow from what the question is about, one after the other. Its weight is the product of the probabilities of its relations and of ending there, as a share of all plans that are proposed.',
  },
  frontier: {
    title: 'Frontier',
    text: 'What a plan has reached so far. A small model scores each entity from 0 to 1 by how well it goes with the question; the best are kept, and the plan goes on from those.',
  },
  weighedPath: {
    title: 'Evidence path',
    text: 'A chain of facts along a plan. Its weight is the weight of the plan times the score of each entity on it, as a share of what all paths have together.',
  },
  recorded: {
    title: 'What is recorded',
    text: 'Each of your moves with its time and your name, undone ones too, and the seconds in which this tab was in use. Whoever reviews or manages the project can read them. Of some questions the answers may be known, and labels measured against them.',
  },
  doubt: {
    title: 'Doubt',
    text: 'A mark for a choice with a probability below .50, or with a second option within .10 of it.',
  },
} as const satisfies Record<string, Entry>;

export type GlossaryKey = keyof typeof GLOSSARY;

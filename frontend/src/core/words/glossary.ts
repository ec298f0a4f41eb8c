/** The method's terms, each explained in a line where it appears. */

export interface Entry {
  readonly title: string;
  readonly text: string;
}

export const GLOSSARY = {
  structure: {
    title: 'Structure, S\u2096',
    text: 'The plan of the search: groups of entities and the relations between them. Each step adds one group and the relation that leads to it.',
  },
  facts: {
    title: 'Facts, G\u2096',
    text: 'All facts that the search has found so far, in the colours of the structure. Conditions remove facts that do not meet them.',
  },
  mediator: {
    title: 'Mediator',
    text: 'A hollow dot is an entity without a name that connects others. Example: one appearance connects an actor, a character and a programme.',
  },
  operator: {
    title: 'Condition',
    text: 'A node of the structure, an operator (=, <, ≤, >, ≥, min or max) and, except for min and max, a target named in the question. Two more conditions exist: a fact held at a date or is still true, and an entity (also the answer) has a type, such as country.',
  },
  pool: {
    title: 'Pool of options',
    text: 'Everything that was possible at this step. The model gives each option a probability and can choose nothing else.',
  },
  none: {
    title: 'None',
    text: 'Ends this stage: the search stops, or no further condition is added. It is an option like any other.',
  },
  readings: {
    title: 'Readings',
    text: 'A reading is one interpretation of the question: topic, relations and conditions. Each round extends every kept reading by one decision and keeps the most probable ones.',
  },
  probability: {
    title: 'Kept by probability',
    text: 'Of everything that was possible at this step, the most probable options were kept. All probabilities together are 1.',
  },
  score: {
    title: 'Kept by score',
    text: 'Of everything that was possible at this step, the options with the highest scores were kept. A score has no fixed range: it only ranks the options.',
  },
  attention: {
    title: 'Kept by attention',
    text: 'Of everything that was possible at this step, the options that the model attends to most were kept. Attention lies between 0 and 1. It is not a probability.',
  },
  depth: {
    title: 'How far to look',
    text: 'The model estimates from the question how many relations lie between its topic and its answers. The explorer stops after the most probable number of layers.',
  },
  debate: {
    title: 'Debate',
    text: 'Three roles shorten the question after each relation: the simplifier removes the answered part, the critic objects, the linguist removes leftovers. Without a model that writes, rules do this.',
  },
  tried: {
    title: 'Enough?',
    text: 'After each relation the model judges whether the facts are sufficient to answer the current question. Below .50 (usually) the question is shortened and the search continues.',
  },
  plan: {
    title: 'Plan',
    text: 'The relations to follow from the topic entity, in order. Its weight is the product of the probabilities of its relations and of stopping there, as a share of all proposed plans.',
  },
  frontier: {
    title: 'Frontier',
    text: 'The entities that a plan has reached so far. A small model scores how well each fits the question, from 0 to 1. The plan continues from the best.',
  },
  wholePath: {
    title: 'Whole path',
    text: 'One to three steps from the topic entity. The model gives each path a probability. The probability of an option is that of all paths that go on with it, as a share of those that begin like the steps so far.',
  },
  weighedPath: {
    title: 'Evidence path',
    text: 'A chain of facts along a plan. Its weight is the weight of the plan times the score of each entity on it, as a share of all paths.',
  },
  recorded: {
    title: 'What is recorded',
    text: 'Each of your changes with its time and your name, including undone ones, and the seconds in which this tab was active. Reviewers and managers of the project can read them. Some questions may have known answers, to measure labels.',
  },
  doubt: {
    title: 'Doubt',
    text: 'A mark for a choice with a probability below .50, or with a second option within .10 of it.',
  },
} as const satisfies Record<string, Entry>;

export type GlossaryKey = keyof typeof GLOSSARY;

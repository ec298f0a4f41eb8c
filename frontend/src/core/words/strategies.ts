/** The words for the ways to answer questions. A strategy declares its own options: see `StrategyOut`. */
import type { StrategyOptionOut, StrategyOut, WayOptions } from '../../api/types';
import { shown } from './shown';
import { plural } from './format';

/** The options of strategies by name, as a run, the settings of an evaluation or a form hold them. */
export type Switches = Readonly<Record<string, unknown>>;

/** The value of an option: the usual one where none was chosen. */
export function optionValue<Option extends StrategyOptionOut>(option: Option, switches: Switches): Option['usual'] {
  return (switches[option.name] ?? option.usual) as Option['usual'];
}

/** The options of a strategy that a question may be asked with. */
export function askedOptions({ options }: StrategyOut) {
  return options.filter((option) => option.kind !== 'ablation');
}

/** Whether a model writes answers of its own in a strategy. */
export function mayAnswerByItself(strategy: StrategyOut | undefined, switches: Switches): boolean {
  if (!strategy?.own_answers) return false;
  const by = strategy.options.find(({ name }) => name === strategy.answered_by);
  return by === undefined || optionValue(by, switches) === 'writer';
}

/** The values of these options by name. */
export function optionValues(options: readonly StrategyOptionOut[], switches: Switches): Switches {
  return Object.fromEntries(options.map((option) => [option.name, optionValue(option, switches)]));
}

/** What the site is asked for: of the switches those that mean something for a strategy. */
export function switchesWanted(strategy: StrategyOut | undefined, switches: Switches): WayOptions {
  return {
    ...optionValues(strategy ? askedOptions(strategy) : [], switches),
    model_may_answer: mayAnswerByItself(strategy, switches) && switches['model_may_answer'] === true,
  };
}

/** The strategy of a name, or else the usual one. */
export function strategyNamed(strategies: readonly StrategyOut[], name: string | null): StrategyOut | undefined {
  return strategies.find((each) => each.name === name) ?? strategies[0];
}

/** An option in the words of a result; empty if it has the default value. */
function optionWords(option: StrategyOptionOut, switches: Switches): readonly string[] {
  if (option.kind === 'number') {
    const value = optionValue(option, switches);
    if (value === option.usual && !option.is_always_told) return [];
    return [option.told.replace('{count}', plural(value, option.one, option.more))];
  }
  const value = optionValue(option, switches);
  return option.choices
    .filter((each) =>
      typeof value === 'string' ? each.value === value && value !== option.usual : value.includes(each.value),
    )
    .map((each) => each.told || each.words);
}

function titleWith(strategy: StrategyOut, switches: Switches, more: readonly string[] = []): string {
  const words = strategy.options.flatMap((option) => optionWords(option, switches));
  return [strategy.title, ...words, ...more].map(shown).join(', ');
}

/** How something was answered: "READS, several readings, 3 readings kept"; empty where it was the usual way. */
export function strategyWords(strategies: readonly StrategyOut[], name: string, switches: Switches): string {
  const [usual] = strategies;
  if (!usual || usual.name === name) return '';
  const strategy = strategies.find((each) => each.name === name);
  return strategy ? titleWith(strategy, switches) : shown(name);
}

/** What a way to answer is called: its strategy, and what of its switches is not as usual. */
export function wayTitle(strategies: readonly StrategyOut[], name: string, switches: Switches): string {
  const strategy = strategies.find((each) => each.name === name);
  if (!strategy) return shown(name);
  return titleWith(strategy, switches, switches['model_may_answer'] === true ? ['with the model’s own answers'] : []);
}

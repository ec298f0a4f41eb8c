/** What an entity's relations lead to, in words. */
import type { EntityDetailOut, RelationGroupOut } from '../../api/types';
import { number } from './format';
import { termWords } from './words';

/** The values of a relation that were read: those of one mediator with a dot between them; empty where none were. */
export function valueWords({ relation, facts, values }: RelationGroupOut): string {
  if (values.length === 0) return '';
  const words = values.map((joined) => joined.map((term) => termWords(term, relation.unit)).join(' · ')).join(', ');
  return facts > values.length ? `${words} and ${number(facts - values.length)} more` : words;
}

/** The relations that say most of an entity: its own before those that lead to it, the fewest values first. */
export function mainRelations({ groups }: EntityDetailOut, most: number): readonly RelationGroupOut[] {
  return groups
    .filter(({ values }) => values.length > 0)
    .sort((one, other) => Number(one.relation.reverse) - Number(other.relation.reverse) || one.facts - other.facts)
    .slice(0, most);
}

/** Which component shows each page. The code of a page is loaded when the page is first shown. */
import type { Component } from 'svelte';

import type { Page } from './shell/router.svelte';

type Props = Record<string, unknown>;

/** A page whose code is there, with what it is given. */
export interface LoadedPage {
  readonly component: Component<Props>;
  readonly props: Props;
}

async function page<P extends Props>(
  code: Promise<{ readonly default: Component<P> }>,
  props: P,
): Promise<LoadedPage | null> {
  return { component: (await code).default as unknown as Component<Props>, props };
}

/** Pages with equal keys are the same page: what it shows stays as it is. */
export function keyOf(shown: Page, search: string): string {
  const graph = shown.name === 'explore' ? new URLSearchParams(search).get('graph') : null;
  return JSON.stringify([shown, graph]);
}

/** Load a page; null where there is none at its address. Rejects where the code cannot be fetched. */
export function loadPage(shown: Page): Promise<LoadedPage | null> {
  switch (shown.name) {
    case 'ask':
      return page(import('./ask/AskPage.svelte'), {});
    case 'run':
      return page(import('./OpenedRun.svelte'), { id: shown.id });
    case 'ask-side-by-side':
      return page(import('./compare/AskSidePage.svelte'), {});
    case 'side-by-side':
      return page(import('./compare/SidePage.svelte'), { id: shown.id });
    case 'explore':
      return page(import('./explore/ExplorePage.svelte'), {});
    case 'exploration':
      return page(import('./explore/ExplorePage.svelte'), { id: shown.id });
    case 'evaluations':
      return page(import('./evaluations/EvaluationsPage.svelte'), {});
    case 'evaluation':
      return page(import('./evaluations/report/ReportPage.svelte'), { id: shown.id });
    case 'comparison':
      return page(import('./evaluations/comparison/ComparePage.svelte'), { id: shown.id, others: shown.others });
    case 'datasets':
      return page(import('./admin/datasets/DatasetsPage.svelte'), {});
    case 'dataset':
      return page(import('./admin/datasets/DatasetPage.svelte'), { id: shown.id });
    case 'annotate':
      return page(import('./labelling/projects/AnnotatePage.svelte'), {});
    case 'project':
      return page(import('./labelling/projects/ProjectPage.svelte'), { id: shown.id });
    case 'agreement':
      return page(import('./labelling/agreement/AgreementPage.svelte'), { id: shown.id });
    case 'log':
      return page(import('./labelling/log/LogPage.svelte'), { id: shown.id });
    case 'task':
      return page(import('./OpenedTask.svelte'), { id: shown.id });
    case 'to-decide':
      return page(import('./labelling/adjudication/ToDecidePage.svelte'), { id: shown.id });
    case 'adjudicate':
      return page(import('./labelling/adjudication/AdjudicatePage.svelte'), { id: shown.id });
    case 'review':
      return page(import('./review/ReviewPage.svelte'), {});
    case 'cases':
      return page(import('./review/queue/CasesPage.svelte'), { of: shown.of });
    case 'case':
      return page(import('./review/case/CasePage.svelte'), { of: shown.of, key: shown.key });
    case 'graphs':
      return page(import('./admin/graphs/GraphsPage.svelte'), {});
    case 'models':
      return page(import('./models/trainings/ModelsPage.svelte'), {});
    case 'learning':
      return page(import('./models/pipelines/LearningPage.svelte'), {});
    case 'chain':
      return page(import('./models/pipelines/PipelinePage.svelte'), { id: shown.id });
    case 'questions':
      return page(import('./ask/questions/QuestionsPage.svelte'), {});
    case 'feedback':
      return page(import('./ask/feedback/FeedbackPage.svelte'), {});
    case 'account':
      return page(import('./admin/accounts/AccountPage.svelte'), {});
    case 'people':
      return page(import('./admin/accounts/PeoplePage.svelte'), {});
    case 'reset':
      return page(import('./admin/accounts/ResetPage.svelte'), {});
    case 'invitation':
      return page(import('./admin/accounts/InvitationPage.svelte'), {});
    case 'unknown':
      return Promise.resolve(null);
  }
}

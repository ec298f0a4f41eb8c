/** Requests about label exports: what one can choose, and what would go in. */
import type { components } from '../schema';
import { answered, http } from '../client';

type Schemas = components['schemas'];
export type ExportChoicesOut = Schemas['ExportChoicesOut'];
export type ExportPreviewOut = Schemas['ExportPreviewOut'];

/** What is exported, and how. */
export interface ExportWanted {
  readonly format: string;
  /** Which labels. */
  readonly labels: string;
  readonly people: 'names' | 'pseudonyms';
  /** Whether with the log of moves. */
  readonly moves: boolean;
}

/** The formats, with what each cannot say, and the choices of labels. */
export const exportChoices = (): Promise<ExportChoicesOut> => answered(http.GET('/api/annotation/exports'));

/** How many labels would go in, and how many not, and why. */
export const exportPreview = (id: string, { format, labels }: ExportWanted): Promise<ExportPreviewOut> =>
  answered(
    http.GET('/api/annotation/projects/{project_id}/export', {
      params: { path: { project_id: id }, query: { format, labels } },
    }),
  );

/** The signed corrections of the dataset's labels, as the text of their file. */
export const overlayFile = (id: string, { labels, people }: ExportWanted): Promise<string> =>
  answered(
    http.GET('/api/annotation/projects/{project_id}/export/overlay', {
      params: { path: { project_id: id }, query: { labels, people } },
      parseAs: 'text',
    }),
  );

/** Where the file is read. */
export const exportAddress = (id: string, { format, labels, people, moves }: ExportWanted): string =>
  `/api/annotation/projects/${id}/export/file?${new URLSearchParams({ format, labels, people, moves: `${moves}` }).toString()}`;

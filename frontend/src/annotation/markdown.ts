/** Guidelines are written in Markdown; what they come to is made safe before it is shown. */
import DOMPurify from 'dompurify';
import { marked } from 'marked';

/** What a guideline may hold: text and its structure, no pictures of elsewhere, no forms, no styles. */
const ALLOWED = {
  ALLOWED_TAGS: [
    ...['h1', 'h2', 'h3', 'h4', 'p', 'ul', 'ol', 'li', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'a', 'br'],
    ...['hr', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'align', 'start'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/(?!\/)|#)/i,
};

/** Markdown as HTML that does nothing but show. */
export function htmlOf(markdown: string): string {
  return DOMPurify.sanitize(marked.parse(markdown, { async: false, gfm: true }), ALLOWED);
}

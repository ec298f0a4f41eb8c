/** Guidelines are written in Markdown; what they come to is made safe before it is shown. */
import DOMPurify from 'dompurify';
import { Marked } from 'marked';

/** What a guideline may hold: text and its structure, no pictures of elsewhere, no forms, no styles. */
const ALLOWED = {
  ALLOWED_TAGS: [
    ...['h1', 'h2', 'h3', 'h4', 'p', 'ul', 'ol', 'li', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'a', 'br'],
    ...['hr', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'align', 'start'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/(?!\/)|#)/i,
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** HTML within the Markdown stands as it was written. */
const reader = new Marked({
  gfm: true,
  renderer: { html: ({ text }) => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign) },
});

/** Markdown as HTML that does nothing but show. */
export function htmlOf(markdown: string): string {
  return DOMPurify.sanitize(reader.parse(markdown, { async: false }), ALLOWED);
}

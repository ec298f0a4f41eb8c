import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';

import type { UploadOut } from '../../api/types';
import FileUpload from './FileUpload.svelte';

/** The site's side, over real HTTP: it takes four bytes at a time. */
let stored = '';
let size = 0;
/** What it does with the next part instead of taking it. */
let next: 'refuse' | 'lose the answer' | null = null;
let removed = 0;

const site = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => (body += String(part)));
  request.on('end', () => {
    let status = 200;
    if (request.method === 'POST') {
      [stored, size, status] = ['', (JSON.parse(body) as { bytes: number }).bytes, 201];
    } else if (request.method === 'DELETE') {
      removed += 1;
      response.writeHead(204).end();
      return;
    } else if (request.method === 'PUT') {
      if (next === 'refuse') {
        next = null;
        response.writeHead(503, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ code: 'disk_full', message: 'The disk of this site is full.', extra: {} }));
        return;
      }
      stored += body;
      if (next === 'lose the answer') {
        next = null;
        response.writeHead(409, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ code: 'wrong_offset', message: 'Go on from byte 4.', extra: { received: 4 } }));
        return;
      }
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ id: 'u', name: 'f', bytes: size, received: stored.length, part_bytes: 4, sha256: '' }),
    );
  });
});

beforeAll(async () => {
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  location.href = `http://127.0.0.1:${(site.address() as AddressInfo).port}/graphs`;
});
afterAll(() => void site.close());
beforeEach(() => {
  next = null;
  removed = 0;
});

async function choose(text: string) {
  const onchange = vi.fn();
  const props = { label: 'Triples', hint: 'One file.', upload: null, onchange };
  const { rerender } = render(FileUpload, props);
  const file = new File([text], 'facts.tsv');
  await fireEvent.change(screen.getByLabelText('Triples', { selector: 'input' }), { target: { files: [file] } });
  return { onchange, rerender, props };
}

test('a file is sent in parts, reported once it is complete, and removed', async () => {
  const { onchange, rerender, props } = await choose('0123456789');
  await waitFor(() => expect(onchange).toHaveBeenCalledOnce());
  expect(stored).toBe('0123456789');
  const upload = (onchange.mock.calls[0] as [UploadOut])[0];
  await rerender({ ...props, upload });
  expect(screen.getByRole('status').textContent).toBe('10 bytes, uploaded');
  await fireEvent.click(screen.getByRole('button', { name: 'Choose another file' }));
  expect(onchange).toHaveBeenLastCalledWith(null);
  await waitFor(() => expect(removed).toBe(1));
});

test('where an answer was lost, it goes on from what is there', async () => {
  next = 'lose the answer';
  const { onchange } = await choose('0123456789');
  await waitFor(() => expect(onchange).toHaveBeenCalledOnce());
  expect(stored).toBe('0123456789');
});

test('a refusal is shown; the upload is resumed or cancelled', async () => {
  next = 'refuse';
  const { onchange } = await choose('0123456789');
  await waitFor(() => expect(screen.getByRole('alert').textContent).toBe('The disk of this site is full.'));
  expect(onchange).not.toHaveBeenCalled();
  await fireEvent.click(screen.getByRole('button', { name: 'Resume' }));
  await waitFor(() => expect(onchange).toHaveBeenCalledOnce());
  expect(stored).toBe('0123456789');
});

test('cancelling removes what was sent', async () => {
  next = 'refuse';
  await choose('0123456789');
  await waitFor(() => expect(screen.getByRole('alert').textContent).not.toBe(''));
  await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(removed).toBe(1));
  expect(screen.getByLabelText('Triples', { selector: 'input' })).toBeTruthy();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderMessage } from './message.ts';

const FOOTER = 'You get this because Harbour Tees invited you.';

test('a message is made into plain text and HTML with the same words', () => {
  const { subject, text, html } = renderMessage({
    subject: 'Join Harbour Tees',
    paragraphs: ['Anna has invited you.', 'The link works once, for an hour.'],
    action: { label: 'Join', url: 'https://print.example/portal/join/abc' },
    footer: FOOTER,
  });
  assert.equal(subject, 'Join Harbour Tees');
  assert.equal(
    text,
    `Anna has invited you.\n\nThe link works once, for an hour.\n\nJoin:\nhttps://print.example/portal/join/abc\n\n-- \n${FOOTER}\n`,
  );
  for (const part of ['Anna has invited you.', 'href="https://print.example/portal/join/abc"', FOOTER]) {
    assert.ok(html.includes(part), part);
  }
  assert.doesNotMatch(html, /<(img|script|link|style)\b/);
});

test('what a customer wrote is text and no HTML, also in the address of the link', () => {
  const { html } = renderMessage({
    subject: '<b>',
    paragraphs: ['<script>alert("1")</script> & \'x\''],
    action: { label: '<i>', url: 'https://print.example/"><script>' },
    footer: '<hr>',
  });
  assert.doesNotMatch(html, /<script|<b>|<i>|<hr>|""/);
  assert.ok(html.includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;'));
});

test('a subject is one line of 150 characters at most', () => {
  const subject = (text: string): string => renderMessage({ subject: text, paragraphs: [], footer: '' }).subject;
  assert.equal(subject('Hello\r\nBcc: all@example.test'), 'Hello Bcc: all@example.test');
  assert.equal(subject('a\u2028b\u0000c\u0085d'), 'a b c d');
  assert.equal(Array.from(subject('👕'.repeat(300))).length, 150);
});

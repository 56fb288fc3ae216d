import { mkdirSync, writeFileSync } from 'node:fs'
import type { TempDir } from '../../support/temp-dir.ts'
import { chatAnswer, messagesAnswer } from './answers.ts'
import { type Program, startProgram } from './program.ts'

// nginx with one worker, nothing logged, connections kept, bodies in memory.

/** An upstream that always gives the same answer, of the protocol that it is asked in. */
export function startConstantUpstream(folder: TempDir, core: number): Promise<Program> {
  // nginx answers `return` before it has read the body. A body that is not there with the head is
  // read by a second server, so that no client gets its answer while it still sends.
  const socket = `unix:${folder.join('upstream.sock')}`
  return startNginx(folder, core, 'upstream', (port) => ({
    http: `map $content_length $later { default 0; '' 1; '~^\\d{5,}$' 1; }
  upstream constant { server ${socket}; keepalive 1024; }`,
    server: `listen 127.0.0.1:${port} backlog=8192;
    if ($later) { rewrite ^ /later$uri last; }
    ${answers}
    location /later/ {
      internal;
      rewrite ^/later(.*) $1 break;
      proxy_pass http://constant; ${keepAlive}
      proxy_pass_request_body off; proxy_set_header content-length '';
    }
  }
  server {
    listen ${socket};
    ${answers}`,
  }))
}

/** nginx before an upstream; what lies in `files` it serves itself below /files/. */
export function startNginxProxy(
  { folder, files }: { readonly folder: TempDir; readonly files: string },
  { upstream, core }: { readonly upstream: string; readonly core: number },
): Promise<Program> {
  return startNginx(folder, core, `proxy-${new URL(upstream).port}`, (port) => ({
    http: `upstream far { server ${new URL(upstream).host}; keepalive 1024;
    keepalive_requests 1000000000; }`,
    // Without buffering, since an event is to go on when it comes.
    server: `listen 127.0.0.1:${port} backlog=8192;
    location / { proxy_pass http://far; ${keepAlive} proxy_buffering off; }
    location /files/ { alias ${files}/; gzip_static on; }`,
  }))
}

const keepAlive = `proxy_http_version 1.1; proxy_set_header connection '';`

const answers = Object.entries({
  '/v1/chat/completions': chatAnswer,
  '/v1/messages': messagesAnswer,
})
  .map(([path, answer]) => `location = ${path} { return 200 '${answer}'; }`)
  .join('\n    ')

interface Parts {
  readonly http: string
  readonly server: string
}

async function startNginx(
  folder: TempDir,
  core: number,
  name: string,
  parts: (port: number) => Parts,
): Promise<Program> {
  const own = folder.join(`nginx-${name}`)
  mkdirSync(own, { recursive: true })
  const config = `${own}/nginx.conf`
  const command = (port: number) => {
    writeConfig(config, own, parts(port))
    return ['nginx', '-p', own, '-e', `${own}/error.log`, '-c', config]
  }
  return await startProgram({ command, core, log: `${own}/out.log` })
}

function writeConfig(file: string, own: string, { http, server }: Parts): void {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const text = `${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1; daemon off; pid ${own}/pid;
events { worker_connections 16384; }
http {
  access_log off; default_type application/json;
  keepalive_requests 1000000000; keepalive_timeout 3600s;
  client_max_body_size 64m; client_body_buffer_size 8m;
  ${temp.map((kind) => `${kind}_temp_path ${own}/${kind};`).join(' ')}
  ${http}
  server {
    ${server}
  }
}
`
  writeFileSync(file, text)
}

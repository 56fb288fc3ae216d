import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { until } from './until.ts'

// The load balancers of data/examples, as they stand there but for addresses and folders.

const examples = join(import.meta.dir, '../../data/examples')
const certificates = join(import.meta.dir, '../fixtures/tls')

/** Ends a balancer with its test process, even where that is killed. */
const mortal = Bun.which('setpriv') ? ['setpriv', '--pdeathsig', 'TERM', '--'] : []

/** The path of an example. */
export const exampleFile = (name: string) => join(examples, name)

/** Where the nodes of the examples are. */
export const exampleNodes = ['10.0.0.11:8787', '10.0.0.12:8787', '10.0.0.13:8787'] as const

/** Where an adapted example listens, and which nodes it has. */
interface Place {
  readonly folder: TempDir
  readonly port: number
  readonly httpPort: number
  /** Addresses as `host:port`, as many as the example has. */
  readonly nodes: readonly string[]
  /** Without TLS. */
  readonly isPlain?: boolean | undefined
}

interface Balancer {
  readonly file: string
  /** What is written otherwise, each of which must be there. */
  changes(place: Place): readonly (readonly [string, string])[]
  /** What runs it, in the foreground; with `isTrial` it only looks at the file. */
  command(file: string, folder: TempDir, isTrial: boolean): readonly string[]
  /** What the operator writes to take a node out before it is stopped; absent: it is noticed. */
  takenOut?(line: string): string
}

const certified = (folder: TempDir) => ` ssl crt ${folder.join('gateway.pem')}`

const nginxTemps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

export const balancers: Readonly<Record<'nginx' | 'haproxy', Balancer>> = {
  nginx: {
    file: 'nginx.conf',
    changes: ({ folder, port, httpPort, isPlain }) => [
      ['worker_processes auto;', process.getuid?.() === 0 ? 'user root;' : ''],
      [
        'http {\n',
        `http {\n${nginxTemps.map((kind) => `${kind}_temp_path ${folder.join(kind)};`).join('\n')}\n`,
      ],
      ['/run/nginx.pid', folder.join('pid')],
      ['/var/log/nginx/access.log', folder.join('access.log')],
      ['/var/log/nginx/error.log', folder.join('error.log')],
      ['listen 80;', `listen 127.0.0.1:${httpPort};`],
      ['listen 443 ssl;', `listen 127.0.0.1:${port}${isPlain ? '' : ' ssl'};`],
      ['/etc/nginx/tls/fullchain.pem', folder.join('local.pem')],
      ['/etc/nginx/tls/privkey.pem', folder.join('local.key')],
    ],
    command: (file, folder, isTrial) => [
      ...['nginx', '-p', folder.path, '-e', folder.join('error.log'), '-c', file],
      ...(isTrial ? ['-t'] : ['-g', 'daemon off;']),
    ],
    takenOut: (line) => line.replace(';', ' down;'),
  },
  haproxy: {
    file: 'haproxy.cfg',
    changes: ({ folder, port, httpPort, isPlain }) => [
      ['bind :80\n', `bind 127.0.0.1:${httpPort}\n`],
      [
        ':443 ssl crt /etc/haproxy/tls/gateway.pem',
        `127.0.0.1:${port}${isPlain ? '' : certified(folder)}`,
      ],
      ...(isPlain
        ? ([['scheme https code 308 unless { ssl_fc }', 'scheme https if FALSE']] as const)
        : []),
    ],
    command: (file, _, isTrial) => ['haproxy', isTrial ? '-c' : '-db', '-f', file],
  },
}

/** Writes an example for a place; throws when it has not what is to be written otherwise. */
function adapt({ file, changes }: Balancer, place: Place): string {
  let text = readFileSync(exampleFile(file), 'utf8')
  const nodes = exampleNodes.map((node, at) => [node, place.nodes[at] ?? node] as const)
  // In the introduction, too, which says what a node listens on.
  const replace = (from: string, to: string) => {
    if (!text.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}`)
    text = text.replaceAll(from, to)
  }
  for (const [from, to] of [...changes(place), ...nodes]) replace(from, to)
  for (const name of ['local.pem', 'local.key'])
    copyFileSync(join(certificates, name), place.folder.join(name))
  const pem = ['local.pem', 'local.key'].map((name) => readFileSync(join(certificates, name)))
  writeFileSync(place.folder.join('gateway.pem'), Buffer.concat(pem))
  const adapted = place.folder.join(file)
  writeFileSync(adapted, text)
  return adapted
}

/** Has the balancer look at its example; gives what it said and its exit code. */
export async function tryExample(balancer: Balancer) {
  using folder = createTempDir()
  const file = adapt(balancer, { folder, port: 443, httpPort: 80, nodes: exampleNodes })
  const child = Bun.spawn([...balancer.command(file, folder, true)], { stderr: 'pipe' })
  return { said: await child.stderr.text(), exitCode: await child.exited }
}

/**
 * Starts a balancer before nodes at these addresses, and waits until it listens. `isPlain`: it speaks
 * HTTP, for tests of what is behind it.
 */
export async function startBalancer(
  balancer: Balancer,
  nodes: readonly string[],
  { isPlain }: { readonly isPlain?: boolean } = {},
) {
  const folder = createTempDir()
  const [port, httpPort] = [await freePort(), await freePort()]
  const file = adapt(balancer, { folder, port, httpPort, nodes, isPlain })
  const url = `${isPlain ? 'http' : 'https'}://127.0.0.1:${port}`
  const spawn = () =>
    Bun.spawn([...mortal, ...balancer.command(file, folder, false)], {
      stdout: Bun.file(folder.join('out.log')),
      stderr: Bun.file(folder.join('err.log')),
    })
  let child = spawn()
  const listening = () =>
    until('the balancer to listen', async () => {
      if (child.exitCode !== null) throw new Error(await Bun.file(folder.join('err.log')).text())
      return (await fetchThrough(`${url}/livez`).catch(() => undefined)) !== undefined
    })
  await listening()
  return {
    url,
    httpUrl: `http://127.0.0.1:${httpPort}`,
    /** Does what has to be done before the node with this address is stopped. */
    takeOut(node: string): void {
      const { takenOut } = balancer
      if (takenOut === undefined) return
      const lines = readFileSync(file, 'utf8').split('\n')
      const isNode = (line: string) => line.trim().startsWith(`server ${node} `)
      writeFileSync(file, lines.map((line) => (isNode(line) ? takenOut(line) : line)).join('\n'))
      child.kill('SIGHUP')
    },
    /** Ends it, with all that goes through it, and starts it again. */
    async restart(): Promise<void> {
      child.kill('SIGTERM')
      await child.exited
      child = spawn()
      await listening()
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await child.exited
      folder.remove()
    },
  }
}

/** Asks through a balancer, whose certificate is one of the tests. */
export const fetchThrough = (url: string, init: BunFetchRequestInit = {}) =>
  fetch(url, {
    proxy: false,
    keepalive: false,
    redirect: 'manual',
    ...init,
    tls: { rejectUnauthorized: false },
  })

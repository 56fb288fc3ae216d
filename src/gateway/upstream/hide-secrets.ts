import type { Channel } from '../../catalog/catalog.ts'
import type { Observation } from '../../protocols/canonical/observation.ts'
import type { Concluded } from '../exchange.ts'
import { proxyLogin } from '../outbound/dial.ts'

/** Removes a channel's keys, hosts and proxy from a text: errors may quote them. */
export const hideSecrets = (text: string, channel: Channel): string =>
  hide(text, secretsOf(channel))

/** For the operator, who may see the hosts: removes keys and the proxy's password. */
export const hideKeys = (text: string, channel: Channel): string =>
  hide(text, longEnough([...channel.keys, ...proxyPasswords(channel)]))

const hide = (text: string, secrets: readonly string[]) =>
  secrets.reduce((shown, secret) => shown.replaceAll(secret, '[hidden]'), text)

/** The same for bytes; the same object comes back when there is nothing to hide. */
export function hideSecretsIn(bytes: Uint8Array, channel: Channel): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!secretsOf(channel).some((secret) => text.includes(secret))) return bytes
  return new TextEncoder().encode(hideSecrets(text.toString(), channel))
}

/** Bytes of an answer for the client: only an error can hold secrets. */
export function shownBytes(bytes: Uint8Array, exchange: Concluded, seen: Observation): Uint8Array {
  const channel = exchange.candidate?.channel
  return channel && seen.outcome === 'failed' ? hideSecretsIn(bytes, channel) : bytes
}

/** The upstream's error of a failed answer, for the caller's record. */
export function shownError(exchange: Concluded, seen: Observation): string | undefined {
  const channel = exchange.candidate?.channel
  return channel && seen.errorMessage ? hideSecrets(seen.errorMessage, channel) : seen.errorMessage
}

function secretsOf(channel: Channel): readonly string[] {
  const hosts = Object.values(channel.speaks).flatMap((base) => {
    const { host, hostname } = new URL(base)
    return [host, hostname]
  })
  return longEnough([...channel.keys, ...hosts, ...proxySecrets(channel)])
}

/** Those that can be told from words, also with escaped slashes, as some JSON writers have them. */
const longEnough = (secrets: readonly string[]) =>
  secrets
    .filter((secret) => secret.length > 3)
    .flatMap((secret) => (secret.includes('/') ? [secret, secret.replaceAll('/', '\\/')] : secret))

function proxySecrets(channel: Channel): readonly string[] {
  const url = channel.proxy === undefined ? null : URL.parse(channel.proxy)
  return url === null ? [] : [...proxyPasswords(channel), url.host, url.hostname]
}

/** A proxy's password as it is written and as it is sent. */
function proxyPasswords({ proxy }: Channel): readonly string[] {
  const url = proxy === undefined ? null : URL.parse(proxy)
  if (url === null || url.password === '') return []
  const login = proxyLogin(url)
  const plain = login.slice(login.indexOf(':') + 1)
  return [Buffer.from(login).toString('base64'), plain, url.password]
}

/**
 * What a file is, as a media type that an upstream takes; undefined: nothing that may be passed on.
 * Images and documents are known by their first bytes, whatever the header says; sounds and films
 * come in containers that say too little, so the header is believed.
 */
export function mediaTypeOf(bytes: Uint8Array, header: string | null): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 64)).toString('latin1')
  const found = signatures.find(({ pattern }) => pattern.test(start))
  if (found !== undefined) return found.type
  return typesByHeader.get(bareType(header))
}

/** Without parameters: `text/html; charset=utf-8` → `text/html`. */
export function bareType(header: string | null): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/**
 * A file's first bytes, as Latin-1. Sources: RFC 2083 (PNG), ITU T.81 (JPEG), GIF89a, RFC 9649
 * (WebP), ISO 23008-12 annex B (HEIF's brands), ISO 32000-1 7.5.2 (PDF). An AVIF file may call
 * itself `mif1` too, and no upstream takes it.
 */
const signatures: readonly { readonly type: string | undefined; readonly pattern: RegExp }[] = [
  { type: 'image/png', pattern: /^\x89PNG\r\n.\n/s },
  { type: 'image/jpeg', pattern: /^\xff\xd8\xff/ },
  { type: 'image/gif', pattern: /^GIF8[79]a/ },
  { type: 'image/webp', pattern: /^RIFF.{4}WEBP/s },
  { type: undefined, pattern: /^.{4}ftyp(?:avi[fs]|m[is]f1.*avi[fs])/s },
  { type: 'image/heic', pattern: /^.{4}ftyphe(?:i[cxms]|v[cxms])/s },
  { type: 'image/heif', pattern: /^.{4}ftyp(?:mif1|msf1|heif)/s },
  { type: 'application/pdf', pattern: /^(?:\xef\xbb\xbf)?\s*%PDF-/ },
]

/** What servers call a sound or a film → what upstreams call it. */
const typesByHeader: ReadonlyMap<string, string> = new Map([
  ['audio/aac', 'audio/aac'],
  ['audio/aiff', 'audio/aiff'],
  ['audio/flac', 'audio/flac'],
  ['audio/m4a', 'audio/mp4'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/mp4', 'audio/mp4'],
  ['audio/mpeg', 'audio/mpeg'],
  ['audio/ogg', 'audio/ogg'],
  ['audio/opus', 'audio/ogg'],
  ['audio/wav', 'audio/wav'],
  ['audio/wave', 'audio/wav'],
  ['audio/webm', 'audio/webm'],
  ['audio/x-aiff', 'audio/aiff'],
  ['audio/x-flac', 'audio/flac'],
  ['audio/x-m4a', 'audio/mp4'],
  ['audio/x-wav', 'audio/wav'],
  ['video/3gpp', 'video/3gpp'],
  ['video/mp4', 'video/mp4'],
  ['video/mpeg', 'video/mpeg'],
  ['video/quicktime', 'video/quicktime'],
  ['video/webm', 'video/webm'],
  ['video/x-flv', 'video/x-flv'],
  ['video/x-ms-wmv', 'video/wmv'],
  ['video/x-msvideo', 'video/avi'],
])

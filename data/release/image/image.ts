import { join } from 'node:path'
import { createTar, type Entry, gzip, withFolders } from '../archive.ts'
import { type Release, ReleaseError, type Target } from '../release.ts'
import { root } from '../run.ts'
import { type DebianPackage, fetchPackages } from './debian-packages.ts'
import { dataFolder, imagePackages, imageUser, rootEntries } from './root.ts'

/** The architectures of the image: as containers, Debian and the program's targets name them. */
const platforms = [
  { architecture: 'amd64', target: 'linux-x64' },
  { architecture: 'arm64', target: 'linux-arm64' },
] as const satisfies readonly { architecture: string; target: Target }[]

const configFile = '/etc/tollgate/tollgate.yaml'

/** In force until a file is mounted in its place. */
const firstConfig = `server: { listen: "0.0.0.0:8787", spool: ${dataFolder}/tollgate.spool }
store: sqlite:${dataFolder}/tollgate.db
`

const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const

interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

/** What the image has of Debian, by architecture. It is fetched before anything is built: a mirror may fail. */
export type ImagePackages = ReadonlyMap<string, readonly DebianPackage[]>

export async function fetchImagePackages(): Promise<ImagePackages> {
  const fetched = new Map<string, readonly DebianPackage[]>()
  for (const { architecture } of platforms)
    fetched.set(architecture, await fetchPackages(imagePackages, architecture))
  return fetched
}

/** Writes the container image for all its platforms as one OCI archive, and its Compose files; without an engine. */
export async function writeImage(release: Release, ofDebian: ImagePackages): Promise<void> {
  const blobs = new Map<string, Uint8Array>()
  const add = (mediaType: string, bytes: Uint8Array): Descriptor => {
    const hex = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
    blobs.set(hex, bytes)
    return { mediaType, digest: `sha256:${hex}`, size: bytes.length }
  }
  const addJson = (mediaType: string, value: unknown) =>
    add(mediaType, new TextEncoder().encode(JSON.stringify(value)))

  const manifests = []
  for (const { architecture, target } of platforms) {
    const packages = ofDebian.get(architecture) ?? []
    const layers = [rootEntries(packages), await programEntries(release, target)]
    const tars = await Promise.all(layers.map((entries) => createTar(entries, release.time)))
    const config = addJson(types.config, {
      architecture,
      os: 'linux',
      created: isoTime(release),
      config: configOf(release),
      rootfs: { type: 'layers', diff_ids: tars.map((tar) => sha256(tar)) },
      history: [
        {
          created: isoTime(release),
          comment: packages.map((one) => `${one.name} ${one.version}`).join(', '),
        },
        { created: isoTime(release), comment: `tollgate ${release.version}` },
      ],
    })
    const manifest = addJson(types.manifest, {
      ...{ schemaVersion: 2, mediaType: types.manifest, config },
      layers: tars.map((tar) => add(types.layer, gzip(tar))),
      annotations: labelsOf(release),
    })
    manifests.push({ ...manifest, platform: { architecture, os: 'linux' } })
  }
  const index = addJson(types.index, { schemaVersion: 2, mediaType: types.index, manifests })
  // Engines take the name from the second one.
  const name = {
    'org.opencontainers.image.ref.name': release.version,
    'io.containerd.image.name': `docker.io/library/tollgate:${release.version}`,
  }
  const file = (path: string, value: unknown): Entry => ({
    ...{ name: path, mode: 0o644, bytes: new TextEncoder().encode(JSON.stringify(value)) },
  })
  const entries = withFolders([
    file('oci-layout', { imageLayoutVersion: '1.0.0' }),
    file('index.json', {
      ...{ schemaVersion: 2, mediaType: types.index },
      manifests: [{ ...index, annotations: name }],
    }),
    ...[...blobs].map(([hex, bytes]) => ({ name: `blobs/sha256/${hex}`, mode: 0o644, bytes })),
  ])
  const path = join(release.out, `tollgate-${release.version}-image.tar`)
  await Bun.write(path, await createTar(entries, release.time))
  for (const name of ['compose.yaml', 'compose.servers.yaml'])
    await Bun.write(join(release.out, name), Bun.file(join(root, 'data/examples', name)))
}

async function programEntries(release: Release, target: Target): Promise<readonly Entry[]> {
  const program = release.programs.get(target)
  if (program === undefined) throw new ReleaseError(`There is no program for ${target}`)
  const kept = ['LICENSE', 'THIRD-PARTY-NOTICES.txt']
  return withFolders([
    { name: configFile.slice(1), mode: 0o644, bytes: new TextEncoder().encode(firstConfig) },
    { name: 'usr/bin/tollgate', mode: 0o755, bytes: await Bun.file(program).bytes() },
    ...kept.map((name) => ({
      ...{ name: `usr/share/doc/tollgate/${name}`, mode: 0o644 },
      bytes: release.files.get(name) ?? new Uint8Array(),
    })),
  ])
}

/** Docker reads the health check, others leave it out: an orchestrator asks /livez and /readyz itself. */
const configOf = (release: Release) => ({
  User: `${imageUser}:${imageUser}`,
  WorkingDir: dataFolder,
  // tollgate upgrade then names the way of images.
  Env: ['PATH=/usr/bin', 'TOLLGATE_IMAGE=1'],
  Entrypoint: ['/usr/bin/tollgate'],
  Cmd: ['serve', '--log', 'json', '--config', configFile],
  ExposedPorts: { '8787/tcp': {} },
  Volumes: { [dataFolder]: {} },
  StopSignal: 'SIGTERM',
  Healthcheck: {
    Test: ['CMD', '/usr/bin/tollgate', 'health', '--config', configFile],
    ...{ Interval: 10e9, Timeout: 3e9, StartPeriod: 10e9, Retries: 3 },
  },
  Labels: labelsOf(release),
})

const labelsOf = (release: Release) => ({
  'org.opencontainers.image.title': 'Tollgate',
  'org.opencontainers.image.description': 'An LLM gateway with a price on every model',
  'org.opencontainers.image.version': release.version,
  'org.opencontainers.image.created': isoTime(release),
  'org.opencontainers.image.licenses': 'MIT',
})

const isoTime = ({ time }: Release) => new Date(time * 1000).toISOString()

const sha256 = (bytes: Uint8Array) =>
  `sha256:${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}`

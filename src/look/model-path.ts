/** The path of a model's page; slashes and colons of its name stay. */
export function modelPath(name: string): string {
  const parts = name.split('/').map((part) => encodeURIComponent(part).replaceAll('%3A', ':'))
  // A part of dots alone would be read as a way through folders.
  const isSafe = parts.every((part) => !/^\.{0,2}$/.test(part))
  return `/models/${isSafe ? parts.join('/') : parts.join('%2F')}`
}

/** The change of a body that names its model at the top, as most do. */
export function renameModel(_body: unknown, upstreamModel: string): { readonly model: string } {
  return { model: upstreamModel }
}

/** Tabler's icons, imported as text. */
declare module '@tabler/icons/outline/*.svg' {
  const svg: string
  export default svg
}

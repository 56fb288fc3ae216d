import { bilingual, useText } from '../lib/language.ts'
import { Contact } from './contact.tsx'

const texts = bilingual({
  password: ['Forgot the password?', '忘记密码？'],
  factor: ['Lost the app and the backup codes?', '验证器应用和备用码都丢失了？'],
  ask: [
    'Ask an administrator. In the console, at your account, they set a new password and remove a second factor that you have lost.',
    '请联系管理员：在控制台的账户页面中，管理员可以为您设置新密码，并移除丢失的两步验证。',
  ],
  administrator: [
    'You are the administrator: run this on the machine of the gateway.',
    '如果您就是管理员，请在网关所在的机器上运行：',
  ],
})

/** What to do without the password, or without the second factor. */
export function Forgotten({ what }: { readonly what: 'password' | 'factor' }) {
  const text = useText(texts)
  return (
    <details>
      <summary>{text[what]}</summary>
      <p>{text.ask}</p>
      <Contact />
      <p>{text.administrator}</p>
      <pre>tollgate account password you@example.com</pre>
      <pre>tollgate account reset-2fa you@example.com</pre>
    </details>
  )
}

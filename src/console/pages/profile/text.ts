import { bilingual } from '../../lib/language.ts'

/** Words of the page of one's own account. */
export const profileText = bilingual({
  title: ['Profile and security', '个人与安全'],
  description: ['How you sign in, and where you are signed in.', '登录方式与已登录的设备。'],
  password: ['Password', '密码'],
  noPassword: ['This account has no password.', '此账户没有密码。'],
  current_password: ['Current password', '当前密码'],
  new_password: ['New password', '新密码'],
  new_passwordHint: ['At least 10 characters.', '至少 10 个字符。'],
  change: ['Change password', '修改密码'],
  changed: [
    'The password is changed. You are signed out everywhere else.',
    '密码已修改，其他设备均已退出登录。',
  ],
  twoFactor: ['Second factor', '两步验证'],
  twoFactorOff: [
    'Off. With it a code from an app is asked for beside the password.',
    '未启用。启用后，除密码外还需输入应用中的验证码。',
  ],
  twoFactorOn: [
    'On: a code from your app is asked for beside the password.',
    '已启用：除密码外还需输入应用中的验证码。',
  ],
  needsPassword: ['Your password, to confirm', '请输入密码以确认'],
  turnOn: ['Turn on', '启用'],
  turnOff: ['Turn off', '停用'],
  scan: [
    'Scan this with an authenticator app, then enter the code that it shows.',
    '用验证器应用扫描，然后输入它显示的验证码。',
  ],
  uri: ['Or enter this address in the app', '或在应用中输入此地址'],
  code: ['Code from the app', '应用中的验证码'],
  confirm: ['Confirm', '确认'],
  backup: ['Backup codes', '备用码'],
  backupHint: [
    'Keep them somewhere safe: each lets you in once when the app is lost.',
    '请妥善保存：丢失应用时，每个备用码可登录一次。',
  ],
  passkeys: ['Passkeys', '通行密钥'],
  noPasskeys: [
    'None. A passkey signs you in by fingerprint, face or PIN.',
    '暂无。通行密钥可用指纹、面容或 PIN 登录。',
  ],
  addPasskey: ['Add a passkey', '添加通行密钥'],
  passkeyName: ['Name', '名称'],
  passkeyUnnamed: ['Passkey', '通行密钥'],
  remove: ['Remove', '移除'],
  removePasskey: ['Remove the passkey “{name}”?', '移除通行密钥“{name}”？'],
  removePasskeyText: ['You can no longer sign in with it.', '移除后将无法再用它登录。'],
  providers: ['Linked accounts', '已关联账户'],
  unlink: ['Unlink', '取消关联'],
  sessions: ['Signed in', '已登录设备'],
  thisOne: ['this one', '当前设备'],
  signedInAt: ['since', '登录于'],
  end: ['Sign out', '退出'],
  endOthers: ['Sign out everywhere else', '退出所有其他设备'],
  ended: [
    (count: number) => (count === 1 ? '1 session ended.' : `${count} sessions ended.`),
    (count) => `已结束 ${count} 个会话。`,
  ],
  unknownDevice: ['Unknown program', '未知程序'],
})

/* Control characters, escape sequences among them, become signs: nothing a model writes is interpreted.
   Tab, line feed and carriage return keep their meaning. streamhub/console/templatetags/live.py has the same table. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

function picture(character) {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : `\u241b${String.fromCharCode(code - 0x40)}`;
}

export const visible = (text) => text.replace(CONTROL, picture);

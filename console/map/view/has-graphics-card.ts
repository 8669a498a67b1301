let known: boolean | undefined;

/** What programs call themselves that draw by the processor: of Chromium, Mesa and Windows. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|basic render|software/i;

/** Whether the browser draws maps by a graphics card. Where the processor draws them, every pixel takes time. */
export function hasGraphicsCard(): boolean {
  return (known ??= tryOut());
}

function tryOut(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (gl === null) return false;
  // Chromium without windows gives one all the same.
  const names = gl.getExtension('WEBGL_debug_renderer_info');
  const renderer = String(gl.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !SOFTWARE.test(renderer);
}

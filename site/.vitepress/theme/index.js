import { h, nextTick, onMounted, watch } from 'vue';
import { useRoute } from 'vitepress';
import Theme from 'vitepress/theme-without-fonts';
import './waymark.css';

const storedAs = 'waymark-docs-language';
const groups = () => [...document.querySelectorAll('.vp-code-group')];

/** Shows a language in each group of samples that has it. */
function show(language) {
  for (const group of groups()) {
    const tabs = [...group.querySelectorAll('.tabs label')];
    const place = tabs.findIndex((tab) => tab.textContent === language);
    if (place === -1) continue;
    document.getElementById(tabs[place].htmlFor).checked = true;
    [...group.querySelector('.blocks').children].forEach((block, at) => block.classList.toggle('active', at === place));
  }
}

/** The language that a reader chooses holds for each sample of each page; the chosen tab stays where it is on the screen. */
function choose({ target }) {
  const tab = target.closest?.('.vp-code-group')?.querySelector(`.tabs label[for="${target.id}"]`);
  if (!tab) return;
  const before = tab.getBoundingClientRect().top;
  localStorage.setItem(storedAs, tab.textContent);
  show(tab.textContent);
  window.scrollBy(0, tab.getBoundingClientRect().top - before);
}

// Of the API, beside the site: the router must leave it alone.
const reference = (name) => h('a', { class: name, href: '/ui', target: '_self' }, 'API reference');

export default {
  extends: Theme,
  Layout: {
    setup() {
      const route = useRoute();
      const showStored = () => nextTick(() => show(localStorage.getItem(storedAs)));
      onMounted(() => {
        document.addEventListener('change', choose);
        void showStored();
      });
      watch(() => route.path, showStored, { flush: 'post' });
      return () =>
        h(Theme.Layout, null, {
          'nav-bar-content-after': () => reference('reference'),
          'nav-screen-content-after': () => reference('reference-of-screen'),
        });
    },
  },
};

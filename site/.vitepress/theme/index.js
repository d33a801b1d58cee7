import Theme from 'vitepress/theme-without-fonts';
import './waymark.css';

export default Theme;

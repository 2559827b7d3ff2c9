/** Style sheets are imported by the component that they belong to, for their effect alone. */
declare module "*.css";

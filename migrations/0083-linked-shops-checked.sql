-- runs in steps
alter table channel validate constraint channel_platform_check;

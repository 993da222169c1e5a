using Microsoft.Extensions.DependencyInjection;
using Npgsql;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Samples.Postgres;

return await WorkerApp.RunAsync(args, worker =>
{
    worker.Services.AddSingleton(services => NpgsqlDataSource.Create(services.GetRequiredService<PostgresOptions>().ConnectionString));
    worker
        .AddSettings(SettingsSection.Of<PostgresOptions>(PostgresOptions.Section))
        .AddRabbitMq()
        .AddHandler<OrderPlaced, StoreOrder>("Orders", SampleJson.Default.OrderPlaced)
        .AddBatchHandler<Click, InsertClicks>("Clicks", SampleJson.Default.Click);
});

using System.Net.Sockets;
using System.Text;
using Messaging.Tests.Http.Web.Api;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Hosting;

namespace Messaging.Tests.Hosting;

public sealed class SystemdNotificationsTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly ManualTimeProvider _time = new();
    private readonly StatusOf _worker = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Worker_StartsAndStops_SystemdIsNotified(bool isAbstract)
    {
        string name = isAbstract ? $"@worker-tests-{Guid.NewGuid():n}" : _folder["notify"];
        using Socket systemd = Listen(name);
        using IHost host = Build(name, "10000000");

        await host.StartAsync();
        Read(systemd).ShouldBe("READY=1");
        _time.Advance(TimeSpan.FromSeconds(5));
        Read(systemd).ShouldBe("WATCHDOG=1");

        _worker.IsStuck = true;
        _time.Advance(TimeSpan.FromSeconds(5));
        _worker.IsStuck = false;
        await host.StopAsync();

        Read(systemd).ShouldBe("STOPPING=1", "While a route is stuck, systemd hears nothing.");
    }

    [Fact]
    public async Task Socket_Missing_IsLoggedOnceAndIgnored()
    {
        RecordingLog log = new();
        using IHost host = Build(_folder["absent"], "1000000", log);

        await host.StartAsync();
        _time.Advance(TimeSpan.FromSeconds(5));
        await host.StopAsync();

        log.Entries.Where(entry => entry.Id.Id == 1108).Count().ShouldBe(1);
    }

    private static Socket Listen(string name)
    {
        Socket systemd = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified) { ReceiveTimeout = 60_000 };
        systemd.Bind(new UnixDomainSocketEndPoint(name.StartsWith('@') ? $"\0{name[1..]}" : name));
        return systemd;
    }

    private static string Read(Socket systemd)
    {
        byte[] buffer = new byte[256];
        return Encoding.ASCII.GetString(buffer, 0, systemd.Receive(buffer));
    }

    private IHost Build(string socket, string watchdog, ILoggerProvider? log = null)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        if (log is not null)
        {
            builder.Logging.AddProvider(log);
        }

        builder.Services.AddHostedService(provider => new SystemdNotifications(
            socket, watchdog, _worker, provider.GetRequiredService<IHostApplicationLifetime>(), _time,
            provider.GetService<ILogger<SystemdNotifications>>() ?? NullLogger<SystemdNotifications>.Instance));
        return builder.Build();
    }

    private sealed class StatusOf : IWorkerStatus
    {
        public bool IsStuck { get; set; }

        public bool IsStopping => false;

        public IReadOnlyList<RouteStatus> GetRoutes() => [WorkerHistoryTests.Status(default) with { IsStuck = IsStuck }];
    }
}

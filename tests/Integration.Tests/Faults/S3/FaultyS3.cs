using System.Net;
using Integration.Tests.Servers;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;

namespace Integration.Tests.Faults.S3;

/// <summary>
/// An S3 on loopback that verifies what S3 verifies of a PUT, fails as its script says, and remembers every exchange. What it
/// does not check is who signed: that takes the real one (<see cref="RealS3"/>).
/// </summary>
internal sealed class FaultyS3 : IAsyncDisposable
{
    private readonly WebApplication _application;
    private readonly FaultyS3Exchanges _exchanges;

    private FaultyS3(WebApplication application, FaultyS3Exchanges exchanges, Uri url)
    {
        _application = application;
        _exchanges = exchanges;
        Endpoint = new AwsEndpoint("FaultyS3", url, "test", "test", "us-east-1", TrailingChecksums: true);
    }

    public AwsEndpoint Endpoint { get; }

    public S3Objects Objects => _exchanges.Objects;

    public S3History History => _exchanges.History;

    /// <summary>May be replaced while requests are in flight; the numbers go on counting.</summary>
    public FaultScript Script
    {
        get => _exchanges.Script;
        set => _exchanges.Script = value;
    }

    /// <summary>How far the server's clock is ahead of this machine's; beyond 15 minutes S3 refuses a request's date.</summary>
    public TimeSpan ClockOffset
    {
        get => _exchanges.ClockOffset;
        set => _exchanges.ClockOffset = value;
    }

    /// <summary>Requests that have arrived and are not answered, hanging ones too.</summary>
    public int InFlight => _exchanges.InFlight;

    /// <summary>The most there have been at one time.</summary>
    public int PeakInFlight => _exchanges.PeakInFlight;

    public static async Task<FaultyS3> StartAsync(FaultyS3Options? options = null)
    {
        options ??= new FaultyS3Options();
        var exchanges = new FaultyS3Exchanges(options, TimeProvider.System);
        // The empty builder: nothing of the environment, no logging to the console of the test run.
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
        {
            kestrel.Listen(IPAddress.Loopback, options.Port);
            kestrel.AddServerHeader = false;
            kestrel.Limits.MaxRequestBodySize = null;
            // Slow clients and answers are faults under test here.
            kestrel.Limits.MinRequestBodyDataRate = null;
            kestrel.Limits.MinResponseDataRate = null;
        });
        WebApplication application = builder.Build();
        application.Run(exchanges.HandleAsync);
        await application.StartAsync();
        return new FaultyS3(application, exchanges, new Uri(application.Urls.Single()));
    }

    /// <summary>Ends hanging requests too.</summary>
    /// <exception cref="AggregateException">The fake itself failed while it served, so what the test saw means nothing.</exception>
    public async ValueTask DisposeAsync()
    {
        // A cancelled token: open connections are ended, not waited for.
        await _application.StopAsync(new CancellationToken(canceled: true));
        await _application.DisposeAsync();
        _exchanges.ThrowIfBroken();
    }
}

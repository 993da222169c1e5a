using System.Net;
using Integration.Tests.Servers;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;

namespace Integration.Tests.Faults.S3;

/// <summary>
/// An S3 on loopback that makes the checks of S3 on a PUT, fails as its script says, and records every exchange. It does
/// not verify signatures: that needs a real store (<see cref="RealS3"/>).
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

    /// <summary>May be replaced while requests are in flight; the request numbers continue.</summary>
    public FaultScript Script
    {
        get => _exchanges.Script;
        set => _exchanges.Script = value;
    }

    /// <summary>Requests that have arrived and are not answered, including hanging ones.</summary>
    public int InFlight => _exchanges.InFlight;

    /// <summary>Ends every delay of a rule, present and future: a test that delays for an hour decides when it is over.</summary>
    public void EndDelays() => _exchanges.EndDelays();

    public static async Task<FaultyS3> StartAsync()
    {
        var exchanges = new FaultyS3Exchanges(TimeProvider.System);
        // The empty builder reads no environment variables and does not log to the console of the test run.
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
        {
            kestrel.Listen(IPAddress.Loopback, 0);
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
    /// <exception cref="AggregateException">The fake itself failed, so the test's observations are invalid.</exception>
    public async ValueTask DisposeAsync()
    {
        EndDelays();

        // A cancelled token: closes open connections instead of waiting for them.
        await _application.StopAsync(new CancellationToken(canceled: true));
        await _application.DisposeAsync();
        _exchanges.ThrowIfBroken();
    }
}

using System.Collections.Concurrent;
using System.Net;
using Quayside.Messaging.Sources;

namespace Messaging.Tests.Http.Source;

/// <summary>
/// The HTTP source with a correct caller: it keeps each message until the answer says that it is stored or dead-lettered, and resends it
/// after Retry-After.
/// </summary>
internal sealed class HttpSourceHarness : SourceHarness
{
    private readonly HttpSourceHost _host;
    private readonly CancellationTokenSource _end = new();
    private readonly ConcurrentQueue<Exception> _failures = new();
    private int _senders;
    private int _awaitingAnswer;

    private HttpSourceHarness(HttpSourceHost host) => _host = host;

    public override IMessageSource Source => _host.Source;

    public override int OutstandingBuffers => _host.Buffers.Outstanding;

    public override bool AllowsEmptyBodies => false;

    /// <summary>Its caller has no answer, and sends the message again.</summary>
    public override bool RedeliversAfterCrash => false;

    private ManualTimeProvider Time => (ManualTimeProvider)_host.Time;

    public static async ValueTask<SourceHarness> CreateAsync() =>
        new HttpSourceHarness(await HttpSourceHost.StartAsync(receive: false, time: new ManualTimeProvider()));

    public override Task PublishAsync(byte[] body, string? id = null)
    {
        Interlocked.Increment(ref _senders);
        Interlocked.Increment(ref _awaitingAnswer);
        _ = Task.Run(() => SendUntilSafeAsync(body, id));
        return Task.CompletedTask;
    }

    public override async Task AdvanceAsync(TimeSpan time)
    {
        await UntilAsync(() => Volatile.Read(ref _awaitingAnswer) <= Intake.Unsettled, "The answers to the senders did not arrive.");
        Time.Advance(time);
    }

    public override async Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected)
    {
        await UntilAsync(() => _host.DeadLetters.Messages.Count >= expected, "The dead letters did not arrive.");
        return _host.DeadLetters.Messages;
    }

    public override Task WaitUntilEmptyAsync() => UntilAsync(
        () =>
        {
            Time.Advance(TimeSpan.FromSeconds(1));
            return Volatile.Read(ref _senders) == 0 && _failures.IsEmpty;
        },
        "Some messages were not answered as safe.");

    public override async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _host.DisposeAsync();
        await base.DisposeAsync();
    }

    private async Task SendUntilSafeAsync(byte[] body, string? id)
    {
        try
        {
            while (await SendAsync(body, id) is { } retryAfter)
            {
                Task wait = Task.Delay(retryAfter, Time, _end.Token);
                Interlocked.Decrement(ref _awaitingAnswer);
                await wait;
                Interlocked.Increment(ref _awaitingAnswer);
            }

            Interlocked.Decrement(ref _awaitingAnswer);
            Interlocked.Decrement(ref _senders);
        }
        catch (Exception) when (_end.IsCancellationRequested)
        {
            // The test has ended.
        }
        catch (Exception exception)
        {
            _failures.Enqueue(exception);
        }
    }

    /// <returns>The delay before the caller resends it; null when it is safe.</returns>
    private async Task<TimeSpan?> SendAsync(byte[] body, string? id)
    {
        using HttpRequestMessage request = new(HttpMethod.Post, "/messages") { Content = new ByteArrayContent(body) };
        if (id is not null)
        {
            request.Headers.Add("X-Message-Id", id);
        }

        using HttpResponseMessage response = await _host.Client.SendAsync(request, _end.Token);
        return response.StatusCode switch
        {
            HttpStatusCode.OK or HttpStatusCode.UnprocessableEntity => null,
            HttpStatusCode.ServiceUnavailable or HttpStatusCode.TooManyRequests or HttpStatusCode.RequestTimeout =>
                response.Headers.RetryAfter?.Delta ?? TimeSpan.FromSeconds(1),
            _ => throw new InvalidOperationException($"{response.StatusCode} {await response.Content.ReadAsStringAsync()}"),
        };
    }
}

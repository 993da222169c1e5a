using System.Buffers;
using System.IO.Pipelines;
using System.Text.Json;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Proof.Simulation;
using Quayside.Messaging.Http.Source;

namespace Proof.Models;

/// <summary>
/// One request, a message or several lines, and its answer: slowly, in pieces, and over connections that break. The worker's process is reached
/// through its endpoint, without Kestrel.
/// </summary>
internal sealed class HttpExchange : Exchange, IHttpRequestLifetimeFeature, IRequestBodyPipeFeature
{
    private readonly QueuedMessage[] _messages;
    private readonly MessagesEndpoint _endpoint;
    private readonly bool _isNdjson;
    private readonly byte[] _bytes;

    // By the number of its line.
    private readonly Dictionary<int, QueuedMessage> _lines = [];
    private readonly Pipe _body = new();
    private readonly CancellationTokenSource _aborted = new();
    private readonly bool _losesAnswer;

    public HttpExchange(World world, QueuedMessage[] messages, bool isNdjson, MessagesEndpoint endpoint, ProcessTime process)
        : base(world, process)
    {
        _messages = messages;
        _endpoint = endpoint;
        _isNdjson = isNdjson;
        // The end of the last line may be missing.
        _bytes = isNdjson ? WriteLines(messages, _lines)[..^world.Random.Next(2)] : messages[0].Body;
        _losesAnswer = world.Random.NextDouble() < world.QueueFaults.LostAnswer;
        RequestAborted = _aborted.Token;
    }

    public CancellationToken RequestAborted { get; set; }

    public PipeReader Reader => _body.Reader;

    public override void Begin()
    {
        DefaultHttpContext context = new();
        context.Features.Set<IHttpRequestLifetimeFeature>(this);
        context.Features.Set<IRequestBodyPipeFeature>(this);
        context.Request.Method = HttpMethods.Post;
        context.Request.ContentLength = _bytes.Length;
        context.Request.ContentType = _isNdjson ? "application/x-ndjson" : null;
        context.Response.Body = new MemoryStream();
        SendBody();
        Answer(_endpoint.HandleAsync(context), context);
    }

    public override void Break()
    {
        End([]);
        _aborted.Cancel();
    }

    public void Abort() => Break();

    private void SendBody()
    {
        int half = World.Random.Next(_bytes.Length);
        _body.Writer.Write(_bytes.AsSpan(0, half));
        _ = _body.Writer.FlushAsync().AsTask();
        double fate = World.Random.NextDouble();
        TimeSpan rest = Pause(Fault.HttpIsSlow);
        if (fate < World.QueueFaults.LostRequest)
        {
            World.Meets(Fault.HttpBreaks);
            World.Time.Schedule(rest, () =>
            {
                _body.Writer.Complete(new ConnectionAbortedException());
                Break();
            });
        }
        else if (fate >= World.QueueFaults.LostRequest + World.QueueFaults.Stall)
        {
            World.Time.Schedule(rest, () =>
            {
                _body.Writer.Write(_bytes.AsSpan(half));
                _body.Writer.Complete();
            });
        }
        else
        {
            World.Meets(Fault.HttpStalls);
        }
    }

    private async void Answer(Task handling, DefaultHttpContext context)
    {
        try
        {
            await handling;
            if (!IsOver && Process.IsAlive)
            {
                End(context.Response);
            }
        }
        catch (Exception exception)
        {
            World.Fail($"the endpoint failed: {exception}");
        }
    }

    private void End(HttpResponse response)
    {
        using JsonDocument answer = JsonDocument.Parse(((MemoryStream)response.Body).ToArray());
        if (_losesAnswer)
        {
            World.Meets(Fault.HttpLosesAnswer);
            End([]);
            return;
        }

        int status = response.StatusCode;
        List<QueuedMessage> kept = Kept(answer.RootElement);
        if (status is not (200 or 408 or 422 or 429 or 503))
        {
            World.Fail($"a caller was answered {status}");
        }
        else if (status is 200 or 422 && kept.Count < _messages.Length)
        {
            World.Fail($"a caller was answered {status}, but {_messages.Length - kept.Count} of its messages are not kept");
        }

        End(kept);
    }

    private List<QueuedMessage> Kept(JsonElement answer)
    {
        static bool IsKept(JsonElement result) => result.TryGetProperty("status", out JsonElement status) && status.GetString() is "stored" or "dead-lettered";

        if (!_isNdjson)
        {
            return IsKept(answer) ? [_messages[0]] : [];
        }

        return answer.TryGetProperty("results", out JsonElement results)
            ? [.. results.EnumerateArray().Where(IsKept).Select(result => _lines[result.GetProperty("line").GetInt32()])]
            : [];
    }
}

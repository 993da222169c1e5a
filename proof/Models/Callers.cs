using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Text;
using System.Text.Json;
using Messaging.Http.Source;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Proof.Simulation;

namespace Proof.Models;

/// <summary>
/// Programs that post messages, one or several lines per request, and send each again until it is answered as stored or dead-lettered: slowly,
/// in pieces, and over connections that break. A worker's process is reached through its endpoint, without Kestrel.
/// </summary>
internal sealed class Callers(World world, int linesPerRequest)
{
    private readonly List<Exchange> _open = [];

    // Messages of the next request.
    private readonly List<QueuedMessage> _gathered = [];

    /// <summary>Messages whose caller was not told yet that they are kept.</summary>
    public int Unanswered { get; private set; }

    /// <summary>Called with each message whose caller was told that it is kept.</summary>
    public required Action<QueuedMessage> Answered { get; init; }

    /// <summary>The endpoint of a process that listens; null while none does.</summary>
    public required Func<(MessagesEndpoint Endpoint, ProcessTime Process)?> Connect { get; init; }

    public void Send(QueuedMessage message)
    {
        Unanswered++;
        _gathered.Add(message);
        if (_gathered.Count == linesPerRequest)
        {
            PostGathered();
        }
        else if (_gathered.Count == 1)
        {
            world.Time.Schedule(TimeSpan.FromSeconds(world.Random.NextDouble() * 5), PostGathered);
        }
    }

    /// <summary>Breaks the connections of a process that has ended.</summary>
    public void Break(ProcessTime process)
    {
        foreach (Exchange exchange in _open.Where(exchange => exchange.Process == process).ToArray())
        {
            exchange.Break();
        }
    }

    private void PostGathered()
    {
        if (_gathered.Count > 0)
        {
            QueuedMessage[] messages = [.. _gathered];
            _gathered.Clear();
            Post(messages);
        }
    }

    private void Post(QueuedMessage[] messages)
    {
        if (Connect() is not { } worker)
        {
            PostAgain(messages);
            return;
        }

        string ids = string.Join(' ', messages.Select(message => message.Id));
        world.Trace("post", ids);
        Exchange exchange = new(world, messages, isNdjson: linesPerRequest > 1, worker.Process);
        _open.Add(exchange);
        exchange.Ended = (status, kept) =>
        {
            _open.Remove(exchange);
            world.Trace(string.Create(CultureInfo.InvariantCulture, $"answer {status}"), ids);
            if (status is not (0 or 200 or 408 or 422 or 429 or 503))
            {
                world.Fail($"a caller was answered {status}");
            }
            else if (status is 200 or 422 && kept.Count < messages.Length)
            {
                world.Fail($"a caller was answered {status}, but {messages.Length - kept.Count} of its messages are not kept");
            }

            Unanswered -= kept.Count;
            foreach (QueuedMessage message in kept)
            {
                Answered(message);
            }

            PostAgain([.. messages.Except(kept)]);
        };
        exchange.Begin(worker.Endpoint);
    }

    private void PostAgain(QueuedMessage[] messages)
    {
        if (messages.Length > 0)
        {
            world.Time.Schedule(TimeSpan.FromSeconds(0.2 + (world.Random.NextDouble() * 5)), () => Post(messages));
        }
    }

    /// <summary>One request and its answer.</summary>
    private sealed class Exchange : IHttpRequestLifetimeFeature, IRequestBodyPipeFeature
    {
        private readonly World _world;
        private readonly QueuedMessage[] _messages;
        private readonly bool _isNdjson;
        private readonly byte[] _bytes;

        // By the number of its line.
        private readonly Dictionary<int, QueuedMessage> _lines = [];
        private readonly Pipe _body = new();
        private readonly CancellationTokenSource _aborted = new();
        private readonly bool _losesAnswer;
        private bool _isOver;

        public Exchange(World world, QueuedMessage[] messages, bool isNdjson, ProcessTime process)
        {
            _world = world;
            _messages = messages;
            _isNdjson = isNdjson;
            _bytes = isNdjson ? WriteLines() : messages[0].Body;
            Process = process;
            _losesAnswer = world.Random.NextDouble() < world.QueueFaults.LostAnswer;
            RequestAborted = _aborted.Token;
        }

        public ProcessTime Process { get; }

        /// <summary>Called once with the status, 0 without an answer, and the messages that the answer calls stored or dead-lettered.</summary>
        public Action<int, IReadOnlyCollection<QueuedMessage>> Ended { get; set; } = (_, _) => { };

        public CancellationToken RequestAborted { get; set; }

        public PipeReader Reader => _body.Reader;

        public void Begin(MessagesEndpoint endpoint)
        {
            DefaultHttpContext context = new();
            context.Features.Set<IHttpRequestLifetimeFeature>(this);
            context.Features.Set<IRequestBodyPipeFeature>(this);
            context.Request.Method = HttpMethods.Post;
            context.Request.ContentLength = _bytes.Length;
            context.Request.ContentType = _isNdjson ? "application/x-ndjson" : null;
            context.Response.Body = new MemoryStream();
            SendBody();
            Answer(endpoint.HandleAsync(context), context);
        }

        /// <summary>Breaks the connection for both sides.</summary>
        public void Break()
        {
            if (!_isOver)
            {
                End(0, []);
            }

            _aborted.Cancel();
        }

        public void Abort() => Break();

        private byte[] WriteLines()
        {
            StringBuilder lines = new();
            int number = 0;
            foreach (QueuedMessage message in _messages)
            {
                if (_world.Random.Next(10) == 0)
                {
                    // A blank line counts.
                    lines.Append('\n');
                    number++;
                }

                lines.Append(Encoding.UTF8.GetString(message.Body)).Append('\n');
                _lines.Add(++number, message);
            }

            // The last line end may be missing.
            return Encoding.UTF8.GetBytes(lines.ToString(0, lines.Length - _world.Random.Next(2)));
        }

        private void SendBody()
        {
            int half = _world.Random.Next(_bytes.Length);
            _body.Writer.Write(_bytes.AsSpan(0, half));
            _ = _body.Writer.FlushAsync().AsTask();
            double fate = _world.Random.NextDouble();
            TimeSpan rest = _world.Random.NextDouble() < _world.QueueFaults.Slow ? TimeSpan.FromSeconds(_world.Random.Next(1, 60)) : TimeSpan.FromMilliseconds(_world.Random.Next(50));
            if (rest >= TimeSpan.FromSeconds(1))
            {
                _world.Meets(Fault.HttpIsSlow);
            }

            if (fate < _world.QueueFaults.LostRequest)
            {
                _world.Meets(Fault.HttpBreaks);
                _world.Time.Schedule(rest, () =>
                {
                    _body.Writer.Complete(new ConnectionAbortedException());
                    Break();
                });
            }
            else if (fate >= _world.QueueFaults.LostRequest + _world.QueueFaults.Stall)
            {
                _world.Time.Schedule(rest, () =>
                {
                    _body.Writer.Write(_bytes.AsSpan(half));
                    _body.Writer.Complete();
                });
            }
            else
            {
                _world.Meets(Fault.HttpStalls);
            }
        }

        private async void Answer(Task handling, DefaultHttpContext context)
        {
            try
            {
                await handling;
                if (!_isOver && Process.IsAlive)
                {
                    End(context.Response);
                }
            }
            catch (Exception exception)
            {
                _world.Fail($"the endpoint failed: {exception}");
            }
        }

        private void End(HttpResponse response)
        {
            using JsonDocument answer = JsonDocument.Parse(((MemoryStream)response.Body).ToArray());
            if (_losesAnswer)
            {
                _world.Meets(Fault.HttpLosesAnswer);
                End(0, []);
            }
            else
            {
                End(response.StatusCode, Kept(answer.RootElement));
            }
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

        private void End(int status, IReadOnlyCollection<QueuedMessage> kept)
        {
            _isOver = true;
            TimeSpan latency = TimeSpan.FromMilliseconds(1 + (_world.Random.NextDouble() * 20));
            _world.Time.Schedule(latency, () => Ended(status, kept));
        }
    }
}
